package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.posix.DurableFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointCommandsTest {

  @TempDir Path folder;
  private Path run;

  @BeforeEach
  void save() {
    run = folder.resolve("run");
    FolderCheckpointStore store =
        new FolderCheckpointStore(run.resolve("checkpoints"), DurableFiles.system());
    store.save(10, state(1));
    store.save(20, state(2));
  }

  private static StateTree state(int fill) {
    MemorySegment weights = MemorySegment.ofArray(new byte[24]).fill((byte) fill);
    MemorySegment bias = MemorySegment.ofArray(new byte[12]).fill((byte) (fill + 1));
    return StateTree.of(
        List.of(
            new TensorView("fc.weight", DType.FLOAT32, Shape.of(2, 3), weights),
            new TensorView("fc.bias", DType.FLOAT32, Shape.of(3), bias)),
        Map.of("epoch", "4"));
  }

  @Test
  void listAndShowTellWhatIsThere() {
    String list = CommandRun.done("checkpoint", "ls", run).out();
    assertEquals(3, list.lines().count(), list);
    assertTrue(list.contains("{epoch=4}"), list);
    String show = CommandRun.done("checkpoint", "show", run, "--step", 10).out();
    assertTrue(show.contains("epoch = 4"), show);
    assertTrue(show.contains("fc.weight"), show);
    assertTrue(show.endsWith("2 tensors, 36 bytes\n"), show);
    assertEquals(
        "tandem: no checkpoint of step 7 in %s; there are [10, 20]"
            .formatted(run.resolve("checkpoints")),
        CommandRun.failed(2, "checkpoint", "show", run, "--step", 7));
    assertEquals(
        "tandem: no checkpoint in " + folder, CommandRun.failed(2, "checkpoint", "ls", folder));
  }

  @Test
  void verifyFindsDamageAndSaysWhere() throws IOException {
    assertEquals(2, CommandRun.done("checkpoint", "verify", run).out().lines().count());
    Path shard = run.resolve("checkpoints/step-000000020/shard-00000-of-00001.safetensors");
    byte[] bytes = Files.readAllBytes(shard);
    bytes[bytes.length - 1] ^= 1;
    Files.write(shard, bytes);
    assertEquals(
        "tandem: %s is damaged: tensor fc.weight has a wrong checksum".formatted(shard),
        CommandRun.failed(1, "checkpoint", "verify", run));
    CommandRun.done("checkpoint", "verify", run, "--step", 10);
  }

  @Test
  void whatIsExportedCanBeImported() {
    for (String file : List.of("w.safetensors", "w.npz")) {
      Path exported = folder.resolve(file);
      CommandRun.done("checkpoint", "export", run, exported);
      Path other = folder.resolve("other-" + file);
      CommandRun.done("checkpoint", "import", exported, other, "--step", 3);
      CommandRun.done("checkpoint", "verify", other);
      String show = CommandRun.done("checkpoint", "show", other).out();
      assertTrue(show.contains("imported = " + file), show);
      assertTrue(show.endsWith("2 tensors, 36 bytes\n"), show);
      assertEquals(
          "tandem: %s exists already".formatted(exported),
          CommandRun.failed(2, "checkpoint", "export", run, exported));
      assertTrue(
          CommandRun.failed(1, "checkpoint", "import", exported, other, "--step", 3)
              .endsWith("exists already; remove it to save this step again"));
    }
    CommandRun.done("checkpoint", "export", run, folder.resolve("b.npz"), "--only", "bias");
    assertEquals(
        "tandem: no tensor matches --only nothing",
        CommandRun.failed(
            2, "checkpoint", "export", run, folder.resolve("n.npz"), "--only", "nothing"));
  }
}
