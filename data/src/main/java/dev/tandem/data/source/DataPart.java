package dev.tandem.data.source;

import dev.tandem.core.Seed;
import dev.tandem.data.format.ImageFolder;
import dev.tandem.data.format.ImageHalves;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What training reads, or what it tests with.
 *
 * @param path whatever {@link Sources} opens
 * @param half which half, if the data set comes in two or is split
 * @param split the fraction of its records that is for tests; 0 if it is not split
 * @param seed chooses them
 * @param train the training data: if it is a folder of images, its subfolders number the classes
 * @param classes names of the classes by label; may be empty
 */
public record DataPart(
    Path path, Split half, double split, Seed seed, Path train, List<String> classes) {

  public DataPart {
    classes = List.copyOf(classes);
  }

  /** A half of a data set that is not split. */
  public static DataPart of(Path path, Split half) {
    return new DataPart(path, half, 0, new Seed(0), path, List.of());
  }

  /** The same half of another data set, whole. */
  public DataPart at(Path other) {
    return new DataPart(other, half, 0, seed, train, classes);
  }

  /** The same with these names of classes by label. */
  public DataPart named(List<String> names) {
    return new DataPart(path, half, split, seed, train, names);
  }

  /** The images, if it is a folder of them. */
  public ImageFolder images() {
    Path folder = half(path, half);
    ImageFolder all = ImageFolder.list(folder, labels(folder));
    return split == 0 ? all : all.half(half, split, seed);
  }

  /** Names of subfolders by label. */
  private List<String> labels(Path folder) {
    boolean trains = Files.isDirectory(train) && SourceFormat.of(train) == SourceFormat.IMAGES;
    List<String> own = ImageFolder.classes(trains ? half(train, Split.TRAIN) : folder);
    return classes.containsAll(own) ? classes : own;
  }

  private static Path half(Path path, Split half) {
    return ImageHalves.of(path).map(halves -> halves.half(half)).orElse(path);
  }
}
