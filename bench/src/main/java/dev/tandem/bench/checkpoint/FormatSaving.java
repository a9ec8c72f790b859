package dev.tandem.bench.checkpoint;

import dev.tandem.checkpoint.exchange.TensorFiles;
import dev.tandem.core.TensorView;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import io.jhdf.HdfFile;
import io.jhdf.WritableHdfFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
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
        var _ = file.putDataset(tensor.name(), array(tensor.data(), tensor.shape().toArray(), 0));
      }
    }
    try (DurableFile file = DurableFiles.system().openOrCreate(path)) {
      file.force();
    }
  }

  /** The library takes nested Java arrays. */
  private static Object array(MemorySegment data, long[] shape, int dimension) {
    if (shape.length == 0) {
      return data.get(ValueLayout.JAVA_FLOAT, 0);
    }
    if (dimension == shape.length - 1) {
      return data.toArray(ValueLayout.JAVA_FLOAT);
    }
    int count = Math.toIntExact(shape[dimension]);
    long bytes = data.byteSize() / count;
    Object first = array(data.asSlice(0, bytes), shape, dimension + 1);
    Object all = Array.newInstance(first.getClass(), count);
    for (int i = 0; i < count; i++) {
      Array.set(all, i, array(data.asSlice(i * bytes, bytes), shape, dimension + 1));
    }
    return all;
  }

  /** The library keeps everything on the heap until the end. */
  static boolean fits(ModelState state, Kind kind) {
    return kind != Kind.HDF5 || state.bytes() * 3 < Runtime.getRuntime().maxMemory();
  }
}
