package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.posix.DurableFiles;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Other programs read our shards: here a reader of 40 lines in Python. */
class PythonReaderTest {

  private static final Path PYTHON = Path.of("/usr/bin/python3");

  @TempDir Path folder;

  @Test
  void pythonFindsTheSameValues() throws Exception {
    boolean installed = Files.isExecutable(PYTHON);
    if (!installed) {
      System.out.println("skipped: there is no " + PYTHON);
    }
    assumeTrue(installed);
    List<TensorView> tensors = new ArrayList<>(States.random(new Seed(3)).tensors().values());
    tensors.add(States.tensor("large", DType.FLOAT32, Shape.of(300, 70), new Seed(4).random()));
    StateTree saved = StateTree.of(tensors, Map.of());
    RankThreads.run(
        3,
        c ->
            new FolderCheckpointStore(
                    folder, DurableFiles.system(), c, CheckpointOptions.DEFAULT, line -> {})
                .save(1, saved));
    Map<String, ByteArrayOutputStream> read = new TreeMap<>();
    for (String line : run(folder.resolve("step-000000001"))) {
      String[] fields = line.split("\t", -1);
      assertEquals(saved.tensors().get(fields[0]).dtype().code(), fields[1]);
      read.computeIfAbsent(fields[0], name -> new ByteArrayOutputStream())
          .writeBytes(HexFormat.of().parseHex(fields[3]));
    }
    // Shards come in rank order and ranks have rows in order, so pieces join to the whole.
    assertEquals(saved.tensors().keySet(), read.keySet());
    saved
        .tensors()
        .forEach(
            (name, tensor) ->
                assertEquals(
                    HexFormat.of().formatHex(tensor.data().toArray(ValueLayout.JAVA_BYTE)),
                    HexFormat.of().formatHex(read.get(name).toByteArray()),
                    name));
  }

  private List<String> run(Path checkpoint) throws Exception {
    Path script = folder.resolve("read.py");
    try (var resource = getClass().getResourceAsStream("read_safetensors.py")) {
      Files.copy(resource, script);
    }
    assertTrue(Files.readAllLines(script).size() <= 40, "a reader of 40 lines");
    Process process =
        new ProcessBuilder(PYTHON.toString(), script.toString(), checkpoint.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor());
    return output.lines().toList();
  }
}
