package dev.tandem.tune.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.testkit.CrashFiles;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

  private static final Path FILE = Path.of("/study/study.journal");

  private static JournalRecord.Ended ended(long trial) {
    return new JournalRecord.Ended(
        trial, 1, "COMPLETE", trial / 3.0, false, "", 0.5, Double.NaN, 12);
  }

  private static JournalRecord.Asked asked(long trial) {
    return new JournalRecord.Asked(trial, Map.of("x", 1.5, "opt", "adam"), (int) trial, 0);
  }

  @Test
  void recordsComeBackEqual(@TempDir Path folder) throws IOException {
    Path file = folder.resolve(JournalFile.NAME);
    List<JournalRecord> records =
        List.of(
            asked(0),
            new JournalRecord.Started(0, 1, "host", List.of(1, 2), List.of(), 77, 88, 9),
            new JournalRecord.Reported(0, 1, 3, Map.of("accuracy", Double.NaN)),
            new JournalRecord.CheckpointSaved(0, 3, "/a/b"),
            new JournalRecord.Driver(0, "host", 1, 2, 3),
            new JournalRecord.Lineage(0, 1, 3, "/c", Map.of("x", 2L), 6),
            ended(0),
            new JournalRecord.Stopped("enough", 1));
    try (JournalFile journal = JournalFile.open(DurableFiles.system(), file, note -> {})) {
      records.forEach(journal::append);
      journal.sync();
      assertTrue(Files.size(file) > 1 << 20, "room ahead");
      assertEquals(records, JournalFile.readOnly(DurableFiles.system(), file));
    }
    assertTrue(Files.size(file) < 1 << 12, "no room is left behind");
    List<String> lines = Files.readAllLines(file);
    assertTrue(lines.getFirst().matches("[0-9a-f]{8} \\{\"type\":\"asked\".*\"safe\":0}"));
    try (JournalFile again = JournalFile.open(DurableFiles.system(), file, note -> {})) {
      assertEquals(records, again.read());
    }
  }

  @Test
  void noAcknowledgedEndIsLostByAPowerCut() {
    SplittableRandom random = TestSeed.of(JournalTest.class).random();
    CrashFiles files = new CrashFiles();
    List<Long> acknowledged = new ArrayList<>();
    List<Long> points = new ArrayList<>();
    try (JournalFile journal = JournalFile.open(files, FILE, note -> {})) {
      for (long trial = 0; trial < 60; trial++) {
        journal.append(asked(trial));
        if (random.nextInt(3) > 0) {
          journal.append(ended(trial));
          journal.sync();
          acknowledged.add(trial);
          points.add(files.length());
        }
      }
    }
    for (int i = 0; i < 2_000; i++) {
      long point = random.nextLong(files.length() + 1);
      CrashFiles disk = new CrashFiles(files.cut(point, random));
      List<Long> expected = new ArrayList<>();
      for (int k = 0; k < points.size() && points.get(k) <= point; k++) {
        expected.add(acknowledged.get(k));
      }
      try (JournalFile journal = JournalFile.open(disk, FILE, note -> {})) {
        List<Long> found =
            journal.read().stream()
                .filter(JournalRecord.Ended.class::isInstance)
                .map(record -> ((JournalRecord.Ended) record).trial())
                .toList();
        assertEquals(expected, found.subList(0, Math.min(found.size(), expected.size())));
        int before = journal.read().size();
        journal.append(ended(1_000));
        journal.sync();
        assertEquals(before + 1, JournalFile.readOnly(disk, FILE).size());
      }
    }
  }

  @Test
  void damageOfWhatWasSafeIsRefusedAndRepaired(@TempDir Path folder) throws IOException {
    Path file = folder.resolve(JournalFile.NAME);
    try (JournalFile journal = JournalFile.open(DurableFiles.system(), file, note -> {})) {
      for (long trial = 0; trial < 10; trial++) {
        journal.append(ended(trial));
        journal.sync();
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    UsageException refused =
        assertThrows(
            UsageException.class, () -> JournalFile.open(DurableFiles.system(), file, note -> {}));
    assertTrue(refused.getMessage().contains("damaged at byte"), refused.getMessage());
    assertTrue(JournalCheck.of(DurableFiles.system(), file).damaged());
    Path kept = JournalCheck.repair(DurableFiles.system(), file);
    assertEquals(bytes.length, Files.size(kept));
    assertFalse(JournalCheck.of(DurableFiles.system(), file).damaged());
    assertEquals(9, JournalFile.readOnly(DurableFiles.system(), file).size());
  }

  @Test
  void whatWasNeverAcknowledgedIsCutOff(@TempDir Path folder) throws IOException {
    Path file = folder.resolve(JournalFile.NAME);
    try (JournalFile journal = JournalFile.open(DurableFiles.system(), file, note -> {})) {
      journal.append(ended(0));
      journal.append(ended(1));
      journal.sync();
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 5] ^= 1;
    Files.write(file, bytes);
    List<String> notes = new ArrayList<>();
    try (JournalFile journal = JournalFile.open(DurableFiles.system(), file, notes::add)) {
      assertEquals(List.of(ended(0)), journal.read());
    }
    assertEquals(1, notes.size());
  }

  @Test
  void aStudyHasOneDriver(@TempDir Path folder) {
    StudyLock first = StudyLock.take(folder);
    UsageException refused = assertThrows(UsageException.class, () -> StudyLock.take(folder));
    assertTrue(
        refused.getMessage().contains("process " + ProcessHandle.current().pid()),
        refused.getMessage());
    first.close();
    StudyLock.take(folder).close();
  }
}
