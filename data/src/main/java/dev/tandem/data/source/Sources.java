package dev.tandem.data.source;

import dev.tandem.comm.Communicator;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.ImageFolder;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.read.IndexedLmdbSource;
import dev.tandem.data.read.LmdbSources;
import dev.tandem.data.read.LoadRequest;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ReadMode;
import java.nio.file.Path;
import java.util.function.Consumer;

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
      case CSV ->
          throw new UsageException(
              "%s is a table: ./tandem data import %s rows.db --label COLUMN makes a database of it"
                  .formatted(path, path));
      case LMDB -> IndexedLmdbSource.open(path);
    };
  }

  /** Opens whatever is at a path; the records of an LMDB database are located in this way. */
  public static RecordSource open(Path path, SourceFormat.Split split, Locate locate) {
    SourceFormat format = SourceFormat.of(path);
    return format == SourceFormat.LMDB
        ? IndexedLmdbSource.open(path, locate)
        : open(path, format, split);
  }

  /**
   * Opens a data set for the loaders of all ranks, which call this together.
   *
   * @param request how records are to be read, if it is an LMDB database
   * @param communicator of all ranks; stays open at least as long as the source
   * @param log takes one line, in the first rank, which says how the data will be read
   */
  public static RecordSource open(
      Path path,
      SourceFormat format,
      SourceFormat.Split split,
      LoadRequest request,
      Communicator communicator,
      Consumer<String> log) {
    if (format == SourceFormat.LMDB) {
      return LmdbSources.open(path, request, communicator, log);
    }
    return open(path, format, split);
  }

  /** Refuses a data set that a mode cannot read, or whose records cannot be located so. */
  public static void requireMode(Path path, SourceFormat format, ReadMode mode, Locate locate) {
    if (format != SourceFormat.LMDB && locate != Locate.AUTO) {
      throw new UsageException(
          "locate %s is for LMDB databases; %s is %s".formatted(locate.code(), path, format));
    }
    if (format != SourceFormat.LMDB && mode != ReadMode.AUTO) {
      throw new UsageException(
          "read mode %s is for LMDB databases; %s is %s".formatted(mode.code(), path, format));
    }
  }
}
