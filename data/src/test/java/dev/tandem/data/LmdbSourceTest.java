package dev.tandem.data;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.data.importing.Importer;
import dev.tandem.data.importing.SyntheticRecords;
import dev.tandem.lmdb.write.WriterOptions;
import java.nio.file.Path;
import java.util.List;

class LmdbSourceTest extends RecordSourceContract {

  private static final Importer RECORDS =
      new SyntheticRecords(SyntheticRecords.Kind.CIFAR, 300, new Seed(5));

  @Override
  protected RecordSource open() {
    Path path = folder.resolve("database");
    new DatabaseBuilder(path, true, WriterOptions.DEFAULT, 100, Progress.SILENT).build(RECORDS);
    return LmdbSource.open(path);
  }

  @Override
  protected List<DataRecord> expected() {
    return imported(RECORDS);
  }
}
