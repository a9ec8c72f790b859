package dev.tandem.nn.onnx;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.WholeFiles;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The files beside a model in which it keeps tensors. Each is mapped when the first tensor in it is
 * read; the views are of the mapped files. For one thread.
 */
final class ExternalData {

  private final Path folder;
  private final Map<String, MemorySegment> files = new HashMap<>();

  /** The files beside this model. */
  ExternalData(Path model) {
    folder = model.toAbsolutePath().getParent();
  }

  /**
   * The bytes of a tensor.
   *
   * @param place what the model says of it: location, offset and length
   * @param bytes that the tensor has
   */
  MemorySegment bytes(String tensor, Map<String, String> place, long bytes) {
    String location = place.getOrDefault("location", "");
    MemorySegment file = files.computeIfAbsent(location, _ -> map(tensor, location));
    try {
      long offset = Long.parseLong(place.getOrDefault("offset", "0"));
      long length = Long.parseLong(place.getOrDefault("length", Long.toString(bytes)));
      return file.asSlice(offset, length);
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      throw new WorkFailedException(
          "tensor %s is not in %s at the place that the model names".formatted(tensor, location),
          e);
    }
  }

  private MemorySegment map(String tensor, String location) {
    Path file;
    try {
      file = folder.resolve(location).normalize();
    } catch (InvalidPathException e) {
      throw new UsageException("tensor %s is in a file without a name".formatted(tensor));
    }
    if (location.isEmpty() || !file.startsWith(folder)) {
      throw new UsageException(
          "tensor %s is in '%s': expected a file beside the model".formatted(tensor, location));
    }
    if (!Files.exists(file)) {
      throw new UsageException(
          "tensor %s is in the file %s, which is missing: put it beside the model"
              .formatted(tensor, location));
    }
    return WholeFiles.map(file);
  }
}
