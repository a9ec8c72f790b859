package dev.tandem.train.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {

  @TempDir Path folder;

  @Test
  void aNewRunReplacesAnOldOne() throws Exception {
    Path path = folder.resolve("runs/demo");
    RunFolder.create(path);
    Files.createDirectories(path.resolve("data"));
    Files.writeString(path.resolve("data/file"), "old");
    RunFolder.create(path);
    assertFalse(Files.exists(path.resolve("data")));
    assertTrue(Files.isDirectory(path));
  }

  @Test
  void foreignFoldersAreLeftAlone() throws Exception {
    Files.writeString(folder.resolve("thesis.tex"), "years of work");
    assertThrows(UsageException.class, () -> RunFolder.create(folder));
    assertThrows(UsageException.class, () -> RunFolder.create(folder.resolve("thesis.tex")));
    assertEquals("years of work", Files.readString(folder.resolve("thesis.tex")));
  }

  @Test
  void pendingFilesGoAndOthersStay() throws Exception {
    RunFolder run = RunFolder.create(folder.resolve("run"));
    Files.createDirectories(run.path().resolve("checkpoints/step-1.pending/deep"));
    Files.createDirectories(run.path().resolve("checkpoints/step-0"));
    Files.writeString(run.path().resolve("config.yaml.pending"), "");
    run.deletePending();
    assertTrue(Files.exists(run.path().resolve("checkpoints/step-0")));
    assertFalse(Files.exists(run.path().resolve("checkpoints/step-1.pending")));
    assertFalse(Files.exists(run.path().resolve("config.yaml.pending")));
  }
}
