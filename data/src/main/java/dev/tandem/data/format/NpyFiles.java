package dev.tandem.data.format;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.format.SourceFormat.Split;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The two NumPy files of a data set: the arrays, one after the other along the first extent, and
 * their targets. They are {@code x.npy} and {@code y.npy}, or {@code x_train.npy}, {@code
 * y_train.npy}, {@code x_test.npy} and {@code y_test.npy}; capital letters are taken, too.
 */
public record NpyFiles(Path inputs, Path targets) {

  /** How the name of the test half's arrays begins. */
  static final String TEST = "x_test";

  private static final Pattern INPUTS = Pattern.compile("[xX](_train|_test)?[.]npy");

  static boolean isInputs(String name) {
    return INPUTS.matcher(name).matches();
  }

  /** The files that a path stands for: a file of arrays, or the folder of all. */
  public static NpyFiles of(Path path, Split half) {
    Path inputs = path;
    if (Files.isDirectory(path)) {
      List<String> names =
          half == Split.TEST
              ? List.of("x_test.npy", "X_test.npy", "x.npy", "X.npy", "x_train.npy", "X_train.npy")
              : List.of("x_train.npy", "X_train.npy", "x.npy", "X.npy");
      inputs = existing(path, names);
    }
    String name = inputs.getFileName().toString();
    if (!name.startsWith("x") && !name.startsWith("X")) {
      throw new WorkFailedException(
          "%s: expected a name that begins with x, so that the targets are in the file with y instead"
              .formatted(inputs));
    }
    String rest = name.substring(1);
    Path parent = inputs.toAbsolutePath().getParent();
    return new NpyFiles(inputs, existing(parent, List.of("y" + rest, "Y" + rest)));
  }

  private static Path existing(Path folder, List<String> names) {
    for (String name : names) {
      if (Files.isRegularFile(folder.resolve(name))) {
        return folder.resolve(name);
      }
    }
    throw new WorkFailedException("there is no %s in %s".formatted(names.getFirst(), folder));
  }
}
