package dev.tandem.data.format;

import dev.tandem.data.format.SourceFormat.Split;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A folder of images in parts, each with a subfolder per class: {@code train} and one or both of
 * {@code val} (or {@code valid}, {@code validation}) and {@code test}, in upper or lower case.
 * Where all three exist, val is what training tests with, and test is left for the end.
 *
 * @param train the part to train on
 * @param test the part that training tests with, if there is one
 * @param unused a test part that training leaves alone
 * @param others further subfolders, which are no parts
 */
public record ImageHalves(
    Path train, Optional<Path> test, Optional<Path> unused, List<Path> others) {

  private static final Set<String> TRAIN = Set.of("train", "training");
  private static final Set<String> VALIDATION = Set.of("val", "valid", "validation");
  private static final Set<String> TEST = Set.of("test", "testing");

  public ImageHalves {
    others = List.copyOf(others);
  }

  /**
   * The parts of a folder, or empty where its subfolders are classes: a folder {@code train} beside
   * {@code car} and {@code ship}, or one with images right in it, is a class.
   */
  public static Optional<ImageHalves> of(Path root) {
    Optional<Path> train = Optional.empty();
    Optional<Path> validation = Optional.empty();
    Optional<Path> test = Optional.empty();
    List<Path> others = new ArrayList<>();
    for (Path folder : ImageFolder.subfolders(root)) {
      String name = folder.getFileName().toString().toLowerCase(Locale.ROOT);
      if (TRAIN.contains(name)) {
        train = Optional.of(folder);
      } else if (VALIDATION.contains(name)) {
        validation = Optional.of(folder);
      } else if (TEST.contains(name)) {
        test = Optional.of(folder);
      } else {
        others.add(folder);
      }
    }
    boolean tested = validation.isPresent() || test.isPresent();
    if (train.isEmpty()
        || ImageFolder.subfolders(train.get()).isEmpty()
        || (!tested && !others.isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(
        validation.isPresent()
            ? new ImageHalves(train.get(), validation, test, others)
            : new ImageHalves(train.get(), test, Optional.empty(), others));
  }

  /** The folder of a half; training data where there is no test half. */
  public Path half(Split split) {
    return switch (split) {
      case TRAIN -> train;
      case TEST -> test.orElse(train);
    };
  }

  /** What is used for what, as a line to print. */
  public String line() {
    StringBuilder line = new StringBuilder("trains on " + train.getFileName() + "/");
    test.ifPresent(folder -> line.append(", tests with " + folder.getFileName() + "/"));
    unused.ifPresent(
        folder ->
            line.append(
                "; %s/ is left for the end: ./tandem eval RUN --data %s"
                    .formatted(folder.getFileName(), folder)));
    return line.toString();
  }
}
