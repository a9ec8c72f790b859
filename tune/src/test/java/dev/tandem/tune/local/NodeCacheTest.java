package dev.tandem.tune.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Input;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeCacheTest {

  @TempDir private Path folder;

  private Call call(long trial) {
    return new Call(
        Parameters.of(Map.of()),
        "loss",
        new Seed(1),
        0,
        "",
        folder.resolve("study/trials").resolve(Long.toString(trial)));
  }

  private static long files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.count();
    }
  }

  @Test
  void aStudyKeepsOneCopyAndAttemptsLinkToIt() throws IOException {
    Input one = Input.bytes("one", new byte[] {1, 2, 3});
    Input same = Input.bytes("same", new byte[] {1, 2, 3});
    NodeCache cache = NodeCache.ofStudies();
    for (int trial = 0; trial < 3; trial++) {
      AttemptFolder attempt = AttemptFolder.make(call(trial), 1);
      cache.place(List.of(one, same), call(trial), attempt);
      Path placed = attempt.path().resolve("inputs/one");
      assertTrue(Files.isSameFile(placed, folder.resolve("study/inputs").resolve(one.digest())));
      assertTrue(Files.isSameFile(placed, attempt.path().resolve("inputs/same")));
    }
    assertEquals(1, files(folder.resolve("study/inputs")));
  }

  @Test
  void anotherFileThanTheOneThatWasMeantIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("table"), "one");
    Input input = Input.file("table", file);
    Files.writeString(file, "two");
    NodeCache cache = NodeCache.in(folder.resolve("cache"));
    WorkFailedException changed =
        assertThrows(WorkFailedException.class, () -> cache.get(input, call(1)));
    assertTrue(changed.getMessage().contains("input table is another one"), changed.getMessage());
    Files.delete(file);
    assertThrows(WorkFailedException.class, () -> cache.get(input, call(1)));
    assertEquals(0, files(folder.resolve("cache")));
    Files.writeString(file, "one");
    Path cached = cache.get(input, call(1));
    assertEquals("one", Files.readString(cached));
    assertFalse(Files.getPosixFilePermissions(cached).toString().contains("WRITE"));
  }
}
