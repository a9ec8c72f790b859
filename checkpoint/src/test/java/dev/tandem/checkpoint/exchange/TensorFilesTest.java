package dev.tandem.checkpoint.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TensorFilesTest {

  private static final String PYTHON = "/usr/bin/python3";

  @TempDir Path folder;

  private static List<TensorView> tensors(boolean all) {
    SplittableRandom random = new SplittableRandom(5);
    List<TensorView> tensors = new ArrayList<>();
    for (DType type : DType.values()) {
      if (all || type != DType.BFLOAT16) {
        for (Shape shape : List.of(Shape.of(), Shape.of(3), Shape.of(0, 2), Shape.of(2, 3, 4))) {
          byte[] bytes = new byte[(int) shape.elements() * type.bytes()];
          random.nextBytes(bytes);
          String name = "net.%s.%d".formatted(type, shape.extents().size());
          tensors.add(new TensorView(name, type, shape, MemorySegment.ofArray(bytes)));
        }
      }
    }
    return tensors;
  }

  private static void assertSame(List<TensorView> expected, List<TensorView> actual) {
    Comparator<TensorView> byName = Comparator.comparing(TensorView::name);
    List<TensorView> mine = expected.stream().sorted(byName).toList();
    List<TensorView> theirs = actual.stream().sorted(byName).toList();
    assertEquals(mine.size(), theirs.size());
    for (int i = 0; i < mine.size(); i++) {
      assertEquals(mine.get(i).name(), theirs.get(i).name());
      assertEquals(mine.get(i).dtype(), theirs.get(i).dtype());
      assertEquals(mine.get(i).shape(), theirs.get(i).shape());
      assertArrayEquals(
          mine.get(i).data().toArray(ValueLayout.JAVA_BYTE),
          theirs.get(i).data().toArray(ValueLayout.JAVA_BYTE));
    }
  }

  @Test
  void whatIsWrittenIsRead() {
    for (TensorFiles kind : TensorFiles.values()) {
      Path file = folder.resolve("w." + kind.name().toLowerCase(Locale.ROOT));
      List<TensorView> tensors = tensors(kind == TensorFiles.SAFETENSORS);
      assertEquals(kind, TensorFiles.of(file));
      kind.write(file, tensors, Map.of("made by", "a test"));
      try (Arena arena = Arena.ofConfined()) {
        assertSame(tensors, kind.read(file, arena));
      }
    }
  }

  @Test
  void whatHasNoCounterpartIsRefusedByName() {
    Path file = folder.resolve("w.npz");
    var e =
        assertThrows(
            WorkFailedException.class, () -> TensorFiles.NPZ.write(file, tensors(true), Map.of()));
    assertTrue(e.getMessage().contains("BFLOAT16.0 is bfloat16"), e.getMessage());
    assertEquals(0, folder.toFile().list().length, "nothing half-written is left");
    assertThrows(UsageException.class, () -> TensorFiles.of(Path.of("weights.pt")));
  }

  @Test
  void numpyReadsOursAndWeReadNumpys() throws Exception {
    boolean numpy =
        python(
            "import importlib.util, sys; sys.exit(importlib.util.find_spec('numpy') is None)", 1);
    if (!numpy) {
      System.out.println("skipped: python3-numpy is not installed");
    }
    assumeTrue(numpy);
    Path ours = folder.resolve("ours.npz");
    Path theirs = folder.resolve("theirs.npz");
    TensorFiles.NPZ.write(ours, tensors(false), Map.of());
    assertTrue(
        python(
            "import numpy; a = dict(numpy.load('%s', allow_pickle=False));".formatted(ours)
                + " numpy.savez_compressed('%s', **a)".formatted(theirs),
            0));
    try (Arena arena = Arena.ofConfined()) {
      assertSame(tensors(false), TensorFiles.NPZ.read(theirs, arena));
    }
    assertTrue(
        python(
            "import numpy; numpy.savez('%s', x=numpy.array([{}], dtype=object))".formatted(theirs),
            0));
    try (Arena arena = Arena.ofConfined()) {
      var e = assertThrows(WorkFailedException.class, () -> TensorFiles.NPZ.read(theirs, arena));
      assertTrue(e.getMessage().contains("type '|O'"), e.getMessage());
    }
  }

  private static boolean python(String script, int mayFailWith) throws Exception {
    if (!Files.isExecutable(Path.of(PYTHON))) {
      return false;
    }
    Process process = new ProcessBuilder(PYTHON, "-c", script).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    assertTrue(code == 0 || code == mayFailWith, output);
    return code == 0;
  }
}
