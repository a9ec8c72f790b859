package dev.tandem.checkpoint.exchange;

import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.safetensors.Safetensors;
import dev.tandem.posix.WholeFiles;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Files of tensors, by the ending of their names. */
public enum TensorFiles {
  SAFETENSORS(".safetensors"),
  NPZ(".npz");

  private final String ending;

  TensorFiles(String ending) {
    this.ending = ending;
  }

  /** The kind of a file. */
  public static TensorFiles of(Path file) {
    for (TensorFiles kind : values()) {
      if (file.toString().endsWith(kind.ending)) {
        return kind;
      }
    }
    throw new UsageException(file + " ends neither with .safetensors nor with .npz");
  }

  /** The tensors of a file: mapped until no view is reachable, or in memory of the arena. */
  public List<TensorView> read(Path file, Arena arena) {
    return switch (this) {
      case SAFETENSORS -> Safetensors.parse(WholeFiles.map(file), file.toString()).tensors();
      case NPZ -> Npz.read(file, arena);
    };
  }

  /** Writes tensors so that after a crash the file is the old one, none, or whole. */
  public void write(Path file, List<TensorView> tensors, Map<String, String> metadata) {
    switch (this) {
      case SAFETENSORS -> WholeFiles.replace(file, Safetensors.file(sorted(tensors), metadata));
      case NPZ -> WholeFiles.replace(file, out -> Npz.write(file, out, tensors));
    }
  }

  /** The order in which every element is aligned without gaps: larger types first, then by name. */
  private static List<TensorView> sorted(List<TensorView> tensors) {
    return tensors.stream()
        .sorted(
            Comparator.comparingInt((TensorView tensor) -> -tensor.dtype().bytes())
                .thenComparing(TensorView::name))
        .toList();
  }
}
