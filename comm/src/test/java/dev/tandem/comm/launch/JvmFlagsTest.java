package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class JvmFlagsTest {

  @Test
  void childrenNeitherReadNorWriteArchives() {
    assertEquals(
        List.of("-Xmx2g", "--enable-native-access=ALL-UNNAMED"),
        JvmFlags.filter(
            List.of(
                "-Xmx2g",
                "-XX:AOTCacheOutput=a.aot",
                "-XX:AOTCache=a.aot",
                "-agentlib:jdwp=transport=dt_socket,server=y,address=5005",
                "-XX:ArchiveClassesAtExit=b.jsa",
                "-XX:SharedArchiveFile=b.jsa",
                "--enable-native-access=ALL-UNNAMED")));
  }

  @Test
  void ranksHaveAnArchiveOfTheirOwnIfThereIsOne() {
    assertEquals(List.of(), JvmFlags.archive(null));
    List<String> flags = JvmFlags.archive("ranks.jsa");
    assertEquals(List.of("-XX:SharedArchiveFile=ranks.jsa"), flags);
    assertEquals(List.of(), JvmFlags.withoutArchives(flags));
  }
}
