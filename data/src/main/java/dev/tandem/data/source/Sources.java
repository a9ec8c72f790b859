package dev.tandem.data.source;

import dev.tandem.comm.Communicator;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.NpyFiles;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.read.IndexedLmdbSource;
import dev.tandem.data.read.LmdbSources;
import dev.tandem.data.read.LoadRequest;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ReadMode;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Opens data sets by their paths. */
public final class Sources {

  private Sources() {}

  /** Opens a half of whatever is at a path, in the format that its content tells. */
  public static RecordSource open(Path path, SourceFormat.Split split) {
    return open(DataPart.of(path, split), Locate.AUTO);
  }

  /**
   * Opens a data set. LMDB databases are read by their index, which is built when it is missing; it
   * stays beside the database where that can be written.
   *
   * @param locate how the records of an LMDB database are located
   */
  public static RecordSource open(DataPart part, Locate locate) {
    SourceFormat format = SourceFormat.of(part.path());
    return open(part, format, () -> IndexedLmdbSource.open(part.path(), locate));
  }

  /**
   * Opens a data set for the loaders of all ranks, which call this together.
   *
   * @param request how records are to be read, if it is an LMDB database
   * @param communicator of all ranks; stays open at least as long as the source
   * @param log takes one line, in the first rank, which says how the data will be read
   */
  public static RecordSource open(
      DataPart part,
      SourceFormat format,
      LoadRequest request,
      Communicator communicator,
      Consumer<String> log) {
    return open(part, format, () -> LmdbSources.open(part.path(), request, communicator, log));
  }

  private static RecordSource open(
      DataPart part, SourceFormat format, Supplier<RecordSource> database) {
    Path path = part.path();
    RecordSource all =
        switch (format) {
          case IMAGES -> new ImageFolderSource(part.images());
          case IDX -> IdxSource.open(SourceFormat.idx(path, null, part.half()));
          case CIFAR10 -> CifarSource.open(SourceFormat.cifar10(path, part.half()));
          case TAR -> TarSource.open(SourceFormat.tarShards(path));
          case CSV ->
              throw new UsageException(
                  "%s is a table: ./tandem data import %s rows.db --label COLUMN makes a database of"
                          .formatted(path, path)
                      + " it");
          case NPY -> NpySource.open(NpyFiles.of(path, part.half()));
          case LMDB -> database.get();
        };
    if (part.split() == 0 || format == SourceFormat.IMAGES) {
      return all;
    }
    try {
      return new SplitSource(all, part.half(), part.split(), part.seed());
    } catch (RuntimeException e) {
      all.close();
      throw e;
    }
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
