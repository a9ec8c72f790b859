package dev.tandem.data.importing;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A folder with a subfolder of images per class. Labels number the subfolders in the order of their
 * names, records follow the order of the files' names; keys and messages as Caffe's {@code
 * convert_imageset} writes them. Images are decoded by Java's ImageIO, several at once.
 */
public final class ImageFolderImporter implements Importer {

  private static final Set<String> ENDINGS = Set.of("png", "jpg", "jpeg", "bmp", "gif");

  private static final String HIDDEN = File.separator + ".";

  /** Images decoded ahead of the writer: enough for all cores, little enough for memory. */
  private static final int AHEAD = 64;

  private final Path root;
  private final ImageOptions options;
  private final List<String> labels = new ArrayList<>();
  private final List<ImageFile> files = new ArrayList<>();
  private final List<String> skipped = new ArrayList<>();

  private record ImageFile(Path path, String name, int label) {}

  /** A message, or the reason why there is none. */
  private record Decoded(ImageFile file, MemorySegment message, WorkFailedException failure) {}

  /** Lists the images, so that a wrong folder is refused at once. */
  public ImageFolderImporter(Path root, ImageOptions options) {
    this.root = root;
    this.options = options;
    for (Path folder : visible(root, 1)) {
      if (Files.isDirectory(folder) && !folder.equals(root)) {
        addClass(folder);
      }
    }
    if (files.isEmpty()) {
      throw new WorkFailedException(
          root
              + " holds no images for an import: it should have one subfolder per class with PNG,"
              + " JPEG, BMP or GIF files");
    }
  }

  private void addClass(Path folder) {
    int label = labels.size();
    labels.add(folder.getFileName().toString());
    for (Path path : visible(folder, Integer.MAX_VALUE)) {
      if (Files.isRegularFile(path)) {
        String name = root.relativize(path).toString();
        if (ENDINGS.contains(ending(name))) {
          files.add(new ImageFile(path, name, label));
        } else {
          skipped.add(path + ": no PNG, JPEG, BMP or GIF file by its name");
        }
      }
    }
  }

  /** What is in a folder, without hidden files and folders, in the order of their names. */
  private List<Path> visible(Path folder, int depth) {
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

  private static String ending(String name) {
    return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(files.size());
  }

  @Override
  public List<String> labels() {
    return List.copyOf(labels);
  }

  @Override
  public List<String> skipped() {
    return List.copyOf(skipped);
  }

  @Override
  public void importTo(RecordSink sink) {
    // Skipped images leave no gap in the numbers.
    long number = 0;
    for (int first = 0; first < files.size(); first += AHEAD) {
      List<ImageFile> chunk = files.subList(first, Math.min(first + AHEAD, files.size()));
      for (Decoded decoded : chunk.parallelStream().map(this::decode).toList()) {
        if (decoded.failure != null) {
          if (!options.skipBad()) {
            throw decoded.failure;
          }
          skipped.add(decoded.failure.getMessage());
          continue;
        }
        byte[] key = Keys.padded(number++, 8, "_" + decoded.file.name);
        sink.put(MemorySegment.ofArray(key), decoded.message);
      }
    }
    if (number == 0) {
      throw new WorkFailedException("none of the images in " + root + " can be read");
    }
  }

  private Decoded decode(ImageFile file) {
    try {
      byte[] bytes;
      try {
        bytes = Files.readAllBytes(file.path);
      } catch (IOException e) {
        throw FileErrors.failure("read", file.path, e);
      }
      PlanarImage image = ImageDecoder.decode(file.path, bytes, options);
      DatumMessage datum = new DatumMessage();
      if (options.encoded()) {
        datum.beginEncoded(bytes.length);
        datum.data(bytes, 0, bytes.length);
      } else {
        datum.begin(image.channels(), image.height(), image.width());
        datum.data(image.pixels(), 0, image.pixels().length);
      }
      datum.label(file.label);
      datum.encoded(options.encoded());
      return new Decoded(file, datum.message(), null);
    } catch (WorkFailedException e) {
      return new Decoded(file, null, e);
    }
  }
}
