package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.testkit.Watchdog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
  void missingNativeLibraryIsOneLineThatSaysWhatToDo() throws Exception {
    List<String> flags = List.of("-Dorg.bytedeco.javacpp.platform=linux-unknown");
    ChildJvm child = ChildJvm.start(ChildJvm.classPath(), flags, EngineStart.class);
    String output = Watchdog.within(Duration.ofMinutes(1), child::output);
    assertEquals(1, output.lines().count(), output);
    assertTrue(
        output.startsWith("failed: the native library of the compute engine (libtorch) cannot be"),
        output);
  }

  /** Unpacks half a gigabyte. */
  @Test
  @Tag("slow")
  void twoProcessesUnpackIntoOneEmptyCache(@TempDir Path cache) throws Exception {
    List<String> flags = List.of("-Dorg.bytedeco.javacpp.cachedir=" + cache);
    ChildJvm one = ChildJvm.start(ChildJvm.classPath(), flags, EngineStart.class);
    ChildJvm two = ChildJvm.start(ChildJvm.classPath(), flags, EngineStart.class);
    assertEquals("threads: 1", Watchdog.within(Duration.ofMinutes(2), one::output));
    assertEquals("threads: 1", Watchdog.within(Duration.ofMinutes(2), two::output));
  }
}
