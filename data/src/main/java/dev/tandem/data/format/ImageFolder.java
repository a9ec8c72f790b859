package dev.tandem.data.format;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The images in a folder with a subfolder per class. Labels number the subfolders in the order of
 * their names, images follow the order of the files' names.
 *
 * @param files all images
 * @param labels the names of the classes
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
    List<ImageFile> files = new ArrayList<>();
    List<String> labels = new ArrayList<>();
    List<String> skipped = new ArrayList<>();
    for (Path folder : visible(root, root, 1)) {
      if (!Files.isDirectory(folder) || folder.equals(root)) {
        continue;
      }
      for (Path path : visible(root, folder, Integer.MAX_VALUE)) {
        String name = root.relativize(path).toString();
        if (!Files.isRegularFile(path)) {
          continue;
        }
        if (ENDINGS.contains(ending(name))) {
          files.add(new ImageFile(path, name, labels.size()));
        } else {
          skipped.add(path + ": no PNG, JPEG, BMP or GIF file by its name");
        }
      }
      labels.add(folder.getFileName().toString());
    }
    if (files.isEmpty()) {
      throw new WorkFailedException(
          root
              + " holds no images: it should have one subfolder per class with PNG, JPEG, BMP or"
              + " GIF files");
    }
    return new ImageFolder(files, labels, skipped);
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

  /** What comes behind the last dot of a name, in lower case. */
  public static String ending(String name) {
    return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }
}
