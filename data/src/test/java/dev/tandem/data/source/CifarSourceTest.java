package dev.tandem.data.source;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.RecordSourceContract;
import dev.tandem.data.format.CifarFiles;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.importing.CifarImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CifarSourceTest extends RecordSourceContract {

  private void write(String name, int records, int seed) throws IOException {
    byte[] bytes = new byte[records * CifarFiles.RECORD];
    new SplittableRandom(seed).nextBytes(bytes);
    for (int i = 0; i < records; i++) {
      bytes[i * CifarFiles.RECORD] = (byte) (i % 10);
    }
    Files.write(folder.resolve(name), bytes);
  }

  @Override
  protected RecordSource open() throws IOException {
    write("data_batch_1.bin", 10, 1);
    write("data_batch_2.bin", 7, 2);
    write("data_batch_10.bin", 5, 3);
    write("test_batch.bin", 3, 4);
    return Sources.open(folder, SourceFormat.Split.TRAIN);
  }

  @Override
  protected List<DataRecord> expected() {
    return imported(new CifarImporter(SourceFormat.cifar10(folder, SourceFormat.Split.TRAIN)));
  }

  @Test
  void aCutFileIsNamed() throws IOException {
    Path cut = Files.write(folder.resolve("data_batch_1.bin"), new byte[CifarFiles.RECORD + 1]);
    var e =
        assertThrows(
            WorkFailedException.class, () -> Sources.open(folder, SourceFormat.Split.TRAIN));
    assertTrue(e.getMessage().startsWith(cut + " is cut short"), e.getMessage());
  }
}
