package dev.tandem.data.read;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.RecordSourceContract;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.data.importing.Importer;
import dev.tandem.data.importing.SyntheticRecords;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.posix.PageCache;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Without a lock file, so that records from the page cache are copies. */
class IndexedLmdbSourceContractTest extends RecordSourceContract {

  private static final Importer RECORDS =
      new SyntheticRecords(SyntheticRecords.Kind.CIFAR, 300, new Seed(5));

  @Override
  protected RecordSource open() throws Exception {
    Path path = folder.resolve("database");
    new DatabaseBuilder(path, true, WriterOptions.DEFAULT, 100, Progress.SILENT).build(RECORDS);
    Files.deleteIfExists(path.resolve("lock.mdb"));
    PageCache.capability().orElseThrow().drop(path.resolve("data.mdb"));
    return IndexedLmdbSource.open(path);
  }

  @Override
  protected List<DataRecord> expected() {
    return imported(RECORDS);
  }
}
