package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class JvmFlagsTest {

  @Test
  void childrenNeitherReadNorWriteArchives() {
    assertEquals(
        List.of("-Xmx3g", "--enable-native-access=ALL-UNNAMED"),
        JvmFlags.filter(
            List.of(
                "-Xmx3g",
                "-XX:AOTCacheOutput=a.aot",
                "-XX:AOTCache=a.aot",
                "-agentlib:jdwp=transport=dt_socket,server=y,address=5005",
                "-XX:ArchiveClassesAtExit=b.jsa",
                "-XX:SharedArchiveFile=b.jsa",
                "--enable-native-access=ALL-UNNAMED")));
  }

  /** What is only usual gives way to a share of the memory; any other size was chosen. */
  @Test
  void theUsualHeapIsThatOfTheCommands() throws IOException {
    assertTrue(Files.readAllLines(Path.of("..", "jvm.options")).contains(JvmFlags.HEAP));
    assertEquals(List.of("-Xmx4g"), JvmFlags.filter(List.of("-Xmx4g", JvmFlags.HEAP)));
  }

  @Test
  void ranksHaveAnArchiveOfTheirOwnIfThereIsOne() {
    assertEquals(List.of(), JvmFlags.archive(null));
    List<String> flags = JvmFlags.archive("ranks.jsa");
    assertEquals(List.of("-XX:SharedArchiveFile=ranks.jsa"), flags);
    assertEquals(List.of(), JvmFlags.withoutArchives(flags));
  }
}
