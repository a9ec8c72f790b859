package dev.tandem.data.format;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The formats that databases are made from, and how to tell them apart. */
public enum SourceFormat {
  /** A folder with a subfolder of images per class. */
  IMAGES,
  /** MNIST's pair of files. */
  IDX,
  /** CIFAR-10's binary batches. */
  CIFAR10,
  /** Tar shards in the layout of WebDataset. */
  TAR,
  /** Rows of a table, as text. */
  CSV,
  /** NumPy arrays: x.npy or x_train.npy, with the targets in y.npy or y_train.npy. */
  NPY,
  /** An LMDB environment. */
  LMDB;

  /** Which half of a data set that comes in two. */
  public enum Split {
    TRAIN("train", "data_batch_"),
    TEST("t10k", "test_batch");

    private final String idxPrefix;
    private final String cifarPrefix;

    Split(String idxPrefix, String cifarPrefix) {
      this.idxPrefix = idxPrefix;
      this.cifarPrefix = cifarPrefix;
    }
  }

  private static final String IDX_IMAGES = "-images-idx3-ubyte";
  private static final String TAR_ENDING = ".tar";

  /** The format of a file or folder, by what is in it. */
  public static SourceFormat of(Path source) {
    if (!Files.exists(source)) {
      throw new WorkFailedException("cannot read " + source + ": no such file or folder");
    }
    if (Files.isDirectory(source)) {
      if (Files.exists(source.resolve("data.mdb"))) {
        return LMDB;
      }
      for (Path file : list(source)) {
        String name = file.getFileName().toString();
        if (name.contains(IDX_IMAGES)) {
          return IDX;
        }
        if (name.matches("(data_batch_[0-9]+|test_batch)[.]bin")) {
          return CIFAR10;
        }
        if (NpyFiles.isInputs(name)) {
          return NPY;
        }
        if (name.endsWith(TAR_ENDING) && Files.isRegularFile(file)) {
          return TAR;
        }
      }
      return IMAGES;
    }
    String name = source.getFileName().toString();
    if (name.endsWith(".mdb")) {
      return LMDB;
    }
    if (name.endsWith(".npy")) {
      return NPY;
    }
    if (name.endsWith(".csv") || name.endsWith(".tsv")) {
      return CSV;
    }
    if (name.endsWith(".bin")) {
      return CIFAR10;
    }
    if (name.endsWith(TAR_ENDING)) {
      return TAR;
    }
    try (BinaryInput input = BinaryInput.open(source)) {
      if (!input.atEnd() && input.bigEndianInt("its magic number") == IdxFiles.IMAGES_MAGIC) {
        return IDX;
      }
    }
    throw new WorkFailedException(
        source + " is in no known format (IDX, CIFAR-10, tar, CSV, NPY, LMDB); --from names one");
  }

  /** Whether a data set comes in two halves, training and test, by itself. */
  public static boolean hasHalves(Path source, SourceFormat format) {
    if (!Files.isDirectory(source)) {
      return false;
    }
    return switch (format) {
      case IMAGES -> ImageHalves.of(source).flatMap(ImageHalves::test).isPresent();
      case IDX -> hasFile(source, Split.TRAIN.idxPrefix) && hasFile(source, Split.TEST.idxPrefix);
      case CIFAR10 ->
          hasFile(source, Split.TRAIN.cifarPrefix) && hasFile(source, Split.TEST.cifarPrefix);
      case NPY -> hasFile(source, NpyFiles.TEST);
      case TAR, CSV, LMDB -> false;
    };
  }

  private static boolean hasFile(Path folder, String prefix) {
    return list(folder).stream().anyMatch(file -> file.getFileName().toString().startsWith(prefix));
  }

  /** Records out of some that are for tests: at least one of two, and never all. */
  public static long testCount(long records, double fraction) {
    return records < 2 ? 0 : Math.clamp(Math.round((double) records * fraction), 1, records - 1);
  }

  /**
   * The IDX files that a path stands for.
   *
   * @param source the file of images, or the folder with all files under their own names
   * @param labels the file of labels, or null if it is to be found by the name of the images
   */
  public static IdxFiles idx(Path source, Path labels, Split split) {
    Path images = source;
    if (Files.isDirectory(source)) {
      String name = split.idxPrefix + IDX_IMAGES;
      images = source.resolve(name);
      if (!Files.exists(images)) {
        images = source.resolve(name + ".gz");
      }
    }
    if (labels != null) {
      return IdxFiles.read(images, labels);
    }
    String name = images.getFileName().toString();
    String other = name.replace("images-idx3", "labels-idx1");
    if (other.equals(name)) {
      throw new UsageException("--labels must name the file of labels that belongs to " + images);
    }
    return IdxFiles.read(images, images.resolveSibling(other));
  }

  /** One batch file, or all of one half in a folder, in their order. */
  public static CifarFiles cifar10(Path source, Split split) {
    if (!Files.isDirectory(source)) {
      return CifarFiles.of(List.of(source));
    }
    List<Path> batches = new ArrayList<>();
    for (Path file : list(source)) {
      String name = file.getFileName().toString();
      if (name.startsWith(split.cifarPrefix) && name.endsWith(".bin")) {
        batches.add(file);
      }
    }
    if (batches.isEmpty()) {
      throw new WorkFailedException("there is no " + split.cifarPrefix + "*.bin in " + source);
    }
    return CifarFiles.of(numbered(batches));
  }

  /** One shard, or all in a folder, in their order. */
  public static List<Path> tarShards(Path source) {
    if (!Files.isDirectory(source)) {
      return List.of(source);
    }
    List<Path> shards = new ArrayList<>();
    for (Path file : list(source)) {
      if (file.toString().endsWith(TAR_ENDING) && Files.isRegularFile(file)) {
        shards.add(file);
      }
    }
    if (shards.isEmpty()) {
      throw new WorkFailedException("there is no *.tar in " + source);
    }
    return numbered(shards);
  }

  /** data_batch_10 comes after data_batch_9. */
  private static List<Path> numbered(List<Path> files) {
    return files.stream()
        .sorted(
            Comparator.comparingInt((Path file) -> file.toString().length())
                .thenComparing(Path::toString))
        .toList();
  }

  private static List<Path> list(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    } catch (IOException e) {
      throw FileErrors.failure("list", folder, e);
    }
  }
}
