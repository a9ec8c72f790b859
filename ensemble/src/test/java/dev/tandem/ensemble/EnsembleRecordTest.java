package dev.tandem.ensemble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnsembleRecordTest {

  private static final EnsembleRecord RECORD =
      EnsembleRecord.of(
          "all-shared",
          "running",
          List.of(
              new EnsembleRecord.Member("a", "e-a", "done", 0.98, 0.1),
              new EnsembleRecord.Member("b", "e-b-2", "queued", null, null)));

  @TempDir Path folder;

  @Test
  void isReadAsItWasWritten() {
    assertFalse(EnsembleRecord.in(folder));
    RECORD.write(folder);
    assertTrue(EnsembleRecord.in(folder));
    EnsembleRecord read = EnsembleRecord.read(folder);
    assertEquals(RECORD, read);
    assertTrue(read.members().get(0).done());
    assertFalse(read.members().get(1).done());
    assertEquals(
        folder.toAbsolutePath().resolveSibling("e-b-2"), read.members().get(1).folder(folder));
  }

  @Test
  void refusesWhatIsNoRecord() throws IOException {
    Path file = folder.resolve(EnsembleRecord.FILE);
    assertThrows(UsageException.class, () -> EnsembleRecord.read(folder));
    Files.writeString(file, "{");
    assertThrows(UsageException.class, () -> EnsembleRecord.read(folder));
    RECORD.write(folder);
    Files.writeString(file, Files.readString(file).replace("\"version\" : 1", "\"version\" : 9"));
    assertTrue(
        assertThrows(UsageException.class, () -> EnsembleRecord.read(folder))
            .getMessage()
            .contains("is of version 9, expected 1"));
  }
}
