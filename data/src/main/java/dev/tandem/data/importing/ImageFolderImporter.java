package dev.tandem.data.importing;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.format.ImageFolder;
import dev.tandem.data.format.ImageFolder.ImageFile;
import dev.tandem.data.format.Keys;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.image.ImageFiles;
import dev.tandem.data.image.PlanarImage;
import dev.tandem.data.source.ClassNames;
import dev.tandem.data.source.DataPart;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A folder with a subfolder of images per class. Labels number the subfolders in the order of their
 * names, records follow the order of the files' names; keys and messages as Caffe's {@code
 * convert_imageset} writes them. Images are decoded by Java's ImageIO, several at once.
 */
public final class ImageFolderImporter implements Importer {

  /** Images decoded ahead of the writer: enough for all cores, little enough for memory. */
  private static final int AHEAD = 64;

  private final Path root;
  private final ImageOptions options;
  private final ImageFolder folder;
  private final List<String> names;
  private final List<String> skipped;

  /** A message, or the reason why there is none. */
  private record Decoded(ImageFile file, MemorySegment message, WorkFailedException failure) {}

  /** Lists the images, so that a wrong folder is refused at once. */
  public ImageFolderImporter(Path root, ImageOptions options) {
    this(root, Split.TRAIN, options);
  }

  /**
   * Lists the images, so that a wrong folder is refused at once.
   *
   * @param half which one, if the folder has a part for training and one for tests
   */
  public ImageFolderImporter(Path root, Split half, ImageOptions options) {
    this.root = root;
    this.options = options;
    this.names = ClassNames.of(root);
    this.folder = DataPart.of(root, half).named(names).images();
    this.skipped = new ArrayList<>(folder.skipped());
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(folder.files().size());
  }

  @Override
  public List<String> labels() {
    return names;
  }

  @Override
  public List<String> skipped() {
    return List.copyOf(skipped);
  }

  @Override
  public void importTo(RecordSink sink) {
    // Skipped images leave no gap in the numbers.
    long number = 0;
    List<ImageFile> files = folder.files();
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
        byte[] key = Keys.padded(number++, 8, "_" + decoded.file.name());
        sink.put(MemorySegment.ofArray(key), decoded.message);
      }
    }
    if (number == 0) {
      throw new WorkFailedException("none of the images in " + root + " can be read");
    }
  }

  private Decoded decode(ImageFile file) {
    try {
      byte[] bytes = file.read();
      PlanarImage image = decode(file.path(), bytes);
      byte[] message =
          options.encoded()
              ? Datum.encodeFile(MemorySegment.ofArray(bytes), file.label())
              : Datum.of(
                      image.channels(), image.height(), image.width(), file.label(), image.pixels())
                  .encodeImage();
      return new Decoded(file, MemorySegment.ofArray(message), null);
    } catch (WorkFailedException e) {
      return new Decoded(file, null, e);
    }
  }

  private PlanarImage decode(Path path, byte[] bytes) {
    PlanarImage image = ImageFiles.decode(path.toString(), bytes, options.grey());
    return options.height() == 0 ? image : image.resized(options.height(), options.width());
  }
}
