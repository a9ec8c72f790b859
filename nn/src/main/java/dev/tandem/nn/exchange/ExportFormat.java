package dev.tandem.nn.exchange;

import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A kind of file that other programs read. */
public enum ExportFormat {
  /** The network and its weights, for inference engines. */
  ONNX,
  /** The network and its weights, for {@code torch.jit.load}. */
  TORCHSCRIPT,
  /** The weights by name, for any safetensors reader. */
  SAFETENSORS;

  /**
   * The kind of a file by its ending.
   *
   * @throws UsageException if the ending is none of a kind; the message names those that are
   */
  public static ExportFormat of(Path file) {
    String ending = ending(file);
    List<String> known = new ArrayList<>();
    for (ExportFormat format : values()) {
      if (format.endings().contains(ending)) {
        return format;
      }
      format.endings().forEach(each -> known.add("." + each));
    }
    throw new UsageException(
        "%s: unknown file ending; known: %s".formatted(file, String.join(", ", known)));
  }

  private List<String> endings() {
    return switch (this) {
      case ONNX -> List.of("onnx");
      case TORCHSCRIPT -> List.of("pt", "ts", "torchscript");
      case SAFETENSORS -> List.of("safetensors");
    };
  }

  /** The letters after the last dot of a file's name, in lower case. */
  static String ending(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }
}
