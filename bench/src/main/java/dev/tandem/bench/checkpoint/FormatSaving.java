package dev.tandem.bench.checkpoint;

import dev.tandem.checkpoint.exchange.TensorFiles;
import dev.tandem.core.TensorView;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import io.jhdf.HdfFile;
import io.jhdf.WritableHdfFile;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One file of another format, written and forced to disk by one rank while training waits. */
record FormatSaving(ModelState state, Kind kind) implements Saving {

  /** The formats. */
  enum Kind {
    SAFETENSORS,
    NPZ,
    HDF5
  }

  @Override
  public String format() {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String mode() {
    return "rank0";
  }

  @Override
  public int ranks() {
    return 1;
  }

  @Override
  public Times save(Path folder) {
    List<TensorView> tensors = List.copyOf(state.tree().tensors().values());
    long began = System.nanoTime();
    switch (kind) {
      case SAFETENSORS ->
          TensorFiles.SAFETENSORS.write(folder.resolve("s.safetensors"), tensors, Map.of());
      case NPZ -> TensorFiles.NPZ.write(folder.resolve("s.npz"), tensors, Map.of());
      case HDF5 -> writeHdf(folder.resolve("s.h5"), tensors);
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    return Times.waiting(seconds);
  }

  private static void writeHdf(Path path, List<TensorView> tensors) {
    try (WritableHdfFile file = HdfFile.write(path)) {
      for (TensorView tensor : tensors) {
        var _ = file.putDataset(tensor.name(), table(tensor));
      }
    }
    try (DurableFile file = DurableFiles.system().openOrCreate(path)) {
      file.force();
    }
  }

  /**
   * The library takes nested Java arrays and writes each innermost one by itself, so tensors are
   * written as tables, a line for each filter: with lines of 3 numbers it takes many seconds.
   */
  private static float[][] table(TensorView tensor) {
    long[] shape = tensor.shape().toArray();
    int lines = shape.length < 2 ? 1 : Math.toIntExact(shape[0]);
    long bytes = tensor.byteSize() / lines;
    float[][] table = new float[lines][];
    for (int i = 0; i < lines; i++) {
      table[i] = tensor.data().asSlice(i * bytes, bytes).toArray(ValueLayout.JAVA_FLOAT);
    }
    return table;
  }

  /** The library keeps everything on the heap until the end. */
  static boolean fits(ModelState state, Kind kind) {
    return kind != Kind.HDF5 || state.bytes() * 3 < Runtime.getRuntime().maxMemory();
  }
}
