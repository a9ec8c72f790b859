package dev.tandem.data.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.RecordSourceContract;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.importing.ImageFolderImporter;
import dev.tandem.data.importing.ImageOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImageFolderSourceTest extends RecordSourceContract {

  @Override
  protected RecordSource open() throws IOException {
    for (int i = 0; i < 24; i++) {
      Path path = folder.resolve("class" + i % 3).resolve("image%02d.png".formatted(i));
      Files.createDirectories(path.getParent());
      Files.write(path, TestImages.png(i, 6, 4));
    }
    return Sources.open(folder, SourceFormat.Split.TRAIN);
  }

  @Override
  protected List<DataRecord> expected() {
    ImageOptions encoded = ImageOptions.of(false, null, true, false);
    return imported(new ImageFolderImporter(folder, encoded));
  }

  @Test
  void aFileThatVanishedIsNamed() throws IOException {
    try (RecordSource source = open()) {
      Path gone = folder.resolve("class1/image01.png");
      Files.delete(gone);
      var e = assertThrows(WorkFailedException.class, () -> source.fetch(new long[] {0, 8}));
      assertEquals("cannot read " + gone + ": no such file or folder", e.getMessage());
    }
  }

  @Test
  void aFolderWithoutImagesIsRefused() {
    var e =
        assertThrows(
            WorkFailedException.class, () -> Sources.open(folder, SourceFormat.Split.TRAIN));
    assertTrue(e.getMessage().contains("holds no images"), e.getMessage());
  }
}
