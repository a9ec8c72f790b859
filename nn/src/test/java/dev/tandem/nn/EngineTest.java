package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.testkit.Watchdog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineTest {

  @Test
  void startsAgainWithOtherThreads() {
    assertEquals(1, Engine.start(1).threads());
    assertEquals(2, Engine.start(2).threads());
    assertThrows(IllegalArgumentException.class, () -> Engine.start(0));
  }

  @Test
  void whatIsUnpackedIsNotLoadedToUnpackIt() throws Exception {
    Engine.prepare();
    ChildJvm child = ChildJvm.start(ChildJvm.classPath(), List.of(), EngineUnpack.class);
    assertEquals("loaded: false", Watchdog.within(Duration.ofMinutes(1), child::output));
  }

  @Test
  void aFolderWithoutLibtorchIsOneLine(@TempDir Path folder) throws Exception {
    assertEquals(
        "failed: libtorch in "
            + folder
            + " cannot be used as the compute engine: there is no file"
            + " libc10.so",
        start(folder));
    Files.writeString(folder.resolve("libc10.so"), "not a library");
    String output = start(folder);
    assertTrue(output.startsWith("failed: libtorch in " + folder + " cannot be used"), output);
    assertTrue(output.contains("libc10.so"), output);
    assertEquals(1, output.lines().count(), output);
  }

  /** Debian's is of 2022, and lacks operations that have other signatures now. */
  @Test
  void anInstalledLibtorchThatIsTooOldIsOneLine() throws Exception {
    Path debian = Path.of("/usr/lib/python3/dist-packages/torch/lib");
    if (!Files.exists(debian.resolve("libtorch_cpu.so"))) {
      System.out.println("skipped: no libtorch of Debian in " + debian);
      assumeTrue(false, "no libtorch of Debian");
    }
    String output = start(debian);
    assertTrue(output.startsWith("failed: libtorch in " + debian + " cannot be used"), output);
    assertEquals(1, output.lines().count(), output);
  }

  /** As a user with a torch of their own would: here it is a copy of the build's. */
  @Test
  void anInstalledLibtorchIsUsed(@TempDir Path folder) throws Exception {
    Engine.prepare();
    Path unpacked = EngineStart.folder();
    try (Stream<Path> files = Files.list(unpacked)) {
      for (Path file : files.toList()) {
        Files.copy(file, folder.resolve(file.getFileName()));
      }
    }
    String output = start(folder);
    assertTrue(output.startsWith("threads: 1 libtorch 2."), output);
    assertTrue(output.endsWith(" from " + folder), output);
  }

  private static String start(Path libtorch) throws Exception {
    ChildJvm child =
        ChildJvm.start(ChildJvm.classPath(), List.of(), EngineStart.class, libtorch.toString());
    return Watchdog.within(Duration.ofMinutes(1), child::output);
  }

  /** Unpacks a third of a gigabyte. */
  @Test
  @Tag("slow")
  void twoProcessesUnpackIntoOneEmptyCache(@TempDir Path cache) throws Exception {
    List<String> flags = List.of("-Dtandem.cache=" + cache);
    ChildJvm one = ChildJvm.start(ChildJvm.classPath(), flags, EngineStart.class);
    ChildJvm two = ChildJvm.start(ChildJvm.classPath(), flags, EngineStart.class);
    for (ChildJvm child : List.of(one, two)) {
      String output = Watchdog.within(Duration.ofMinutes(2), child::output);
      assertTrue(output.startsWith("threads: 1 libtorch"), output);
    }
  }
}
