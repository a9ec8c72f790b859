package dev.tandem.data.source;

import dev.tandem.data.RecordSource;
import dev.tandem.data.importing.ImageFolder;
import dev.tandem.data.importing.SourceFormat;
import dev.tandem.data.read.DirectSource;
import java.nio.file.Path;

/** Opens data sets by their paths. */
public final class Sources {

  private Sources() {}

  /** Opens whatever is at a path, in the format that its content tells. */
  public static RecordSource open(Path path, SourceFormat.Split split) {
    return open(path, SourceFormat.of(path), split);
  }

  /**
   * Opens a data set of a known format. LMDB databases are read by their index, which is built when
   * it is missing; it stays beside the database where that can be written.
   *
   * @param split which half of a data set that comes in two
   */
  public static RecordSource open(Path path, SourceFormat format, SourceFormat.Split split) {
    return switch (format) {
      case IMAGES -> new ImageFolderSource(ImageFolder.list(path));
      case IDX -> IdxSource.open(SourceFormat.idx(path, null, split));
      case CIFAR10 -> CifarSource.open(SourceFormat.cifar10(path, split));
      case TAR -> TarSource.open(SourceFormat.tarShards(path));
      case LMDB -> DirectSource.open(path);
    };
  }
}
