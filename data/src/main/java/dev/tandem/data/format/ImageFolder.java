package dev.tandem.data.format;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.posix.FileErrors;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The images in a folder with a subfolder per class. Labels number the subfolders in the order of
 * their names, images follow the order of the files' names.
 *
 * @param files all images
 * @param labels the names of the subfolders by label
 * @param skipped files that are no images by their names, one line each
 */
public record ImageFolder(List<ImageFile> files, List<String> labels, List<String> skipped) {

  /** The endings of files that are taken for images. */
  public static final Set<String> ENDINGS = Set.of("png", "jpg", "jpeg", "bmp", "gif");

  private static final String HIDDEN = File.separator + ".";

  /**
   * An image.
   *
   * @param name its path below the folder
   */
  public record ImageFile(Path path, String name, int label) {

    /** The content of the file. */
    public byte[] read() {
      try {
        return Files.readAllBytes(path);
      } catch (IOException e) {
        throw FileErrors.failure("read", path, e);
      }
    }
  }

  public ImageFolder {
    files = List.copyOf(files);
    labels = List.copyOf(labels);
    skipped = List.copyOf(skipped);
  }

  /** Lists the images; a folder without any is refused. */
  public static ImageFolder list(Path root) {
    return list(root, List.of());
  }

  /**
   * Lists the images; a folder without any is refused.
   *
   * @param classes names of subfolders by label, or none: then the subfolders are numbered in the
   *     order of their names. A subfolder of another name is a mistake.
   */
  public static ImageFolder list(Path root, List<String> classes) {
    List<Path> folders = subfolders(root);
    List<String> labels = labels(root, classes);
    List<ImageFile> files = new ArrayList<>();
    List<String> skipped = new ArrayList<>();
    Map<String, Integer> numbers = new HashMap<>();
    labels.forEach(name -> numbers.put(name, numbers.size()));
    for (Path folder : folders) {
      int label = numbers.get(folder.getFileName().toString());
      for (Path path : visible(root, folder, Integer.MAX_VALUE)) {
        String name = root.relativize(path).toString();
        if (!Files.isRegularFile(path)) {
          continue;
        }
        if (ENDINGS.contains(ending(name))) {
          files.add(new ImageFile(path, name, label));
        } else {
          skipped.add(path + ": no PNG, JPEG, BMP or GIF file by its name");
        }
      }
    }
    if (files.isEmpty()) {
      throw new WorkFailedException(noImages(root));
    }
    return new ImageFolder(files, labels, skipped);
  }

  private static List<String> labels(Path root, List<String> classes) {
    List<String> own = classes(root);
    if (classes.isEmpty()) {
      return own;
    }
    Set<String> known = new HashSet<>(classes);
    for (String name : own) {
      if (!known.contains(name)) {
        throw new UsageException(
            "%s has a subfolder '%s', which is none of the %d classes of the training data (%s)"
                .formatted(root, name, classes.size(), some(classes)));
      }
    }
    return classes;
  }

  private static String some(List<String> names) {
    return String.join(", ", names.subList(0, Math.min(10, names.size())))
        + (names.size() > 10 ? ", ..." : "");
  }

  private static String noImages(Path root) {
    long loose =
        visible(root, root, 1).stream().filter(path -> ENDINGS.contains(ending(path + ""))).count();
    return loose == 0
        ? root
            + " holds no images: it should have one subfolder per class with PNG, JPEG, BMP or"
            + " GIF files"
        : "%s holds no images in subfolders, but %,d right in it: put those of each class into a"
                .formatted(root, loose)
            + " subfolder with the name of the class";
  }

  /**
   * One half of the images, if a part of each class is for tests: those whose names, hashed with
   * the seed, come first; at least one image of a class that has two.
   *
   * @param fraction of the images that is for tests
   */
  public ImageFolder half(Split split, double fraction, Seed seed) {
    Seed hashed = seed.derive("split");
    Set<ImageFile> test = new HashSet<>();
    Map<Integer, List<ImageFile>> classes =
        files.stream().collect(Collectors.groupingBy(ImageFile::label));
    for (List<ImageFile> own : classes.values()) {
      own.stream()
          .sorted(
              Comparator.comparingLong((ImageFile file) -> hashed.derive(file.name()).value())
                  .thenComparing(ImageFile::name))
          .limit(SourceFormat.testCount(own.size(), fraction))
          .forEach(test::add);
    }
    if (test.isEmpty()) {
      throw new UsageException(
          "no class has two images, so that none can be left for tests: set data.test");
    }
    boolean wanted = split == Split.TEST;
    return new ImageFolder(
        files.stream().filter(file -> test.contains(file) == wanted).toList(), labels, skipped);
  }

  /** The names of the subfolders, in their order. */
  public static List<String> classes(Path root) {
    return subfolders(root).stream().map(folder -> folder.getFileName().toString()).toList();
  }

  /** Subfolders that are not hidden, in the order of their names. */
  static List<Path> subfolders(Path root) {
    return visible(root, root, 1).stream()
        .filter(path -> Files.isDirectory(path) && !path.equals(root))
        .toList();
  }

  /** What is in a folder, without hidden files and folders, in the order of their names. */
  private static List<Path> visible(Path root, Path folder, int depth) {
    try (Stream<Path> paths = Files.walk(folder, depth, FileVisitOption.FOLLOW_LINKS)) {
      return paths
          .filter(path -> !(File.separator + root.relativize(path)).contains(HIDDEN))
          .sorted(Comparator.comparing(Path::toString))
          .toList();
    } catch (IOException e) {
      throw FileErrors.failure("list", folder, e);
    } catch (UncheckedIOException e) {
      throw FileErrors.failure("list", folder, e.getCause());
    }
  }

  /** What comes after the last dot of a name, in lower case. */
  public static String ending(String name) {
    return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }
}
