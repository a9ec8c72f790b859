package dev.tandem.tune.journal;

import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What is wrong with the file of a journal.
 *
 * @param records that are whole, up to the first place where none is
 * @param end bytes up to there
 * @param behind whether something follows that is no record of this journal: cut off when it is
 *     opened next, unless damaged
 * @param damaged whether results are lost that were safe
 * @param saved records behind the damage
 */
public record JournalCheck(int records, long end, boolean behind, boolean damaged, int saved) {

  /** Looks at a journal, and changes nothing. */
  public static JournalCheck of(DurableFiles files, Path path) {
    Recovery recovery = recovery(files, path);
    return new JournalCheck(
        recovery.records().size(),
        recovery.end(),
        recovery.behind(),
        recovery.damaged(),
        recovery.saved().size());
  }

  /**
   * Puts a file with the whole records of a damaged journal in its place.
   *
   * @return where the damaged one is now
   */
  public static Path repair(DurableFiles files, Path path) {
    Recovery recovery = recovery(files, path);
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    List<JournalRecord> all = new ArrayList<>(recovery.records());
    all.addAll(recovery.saved());
    all.forEach(record -> lines.writeBytes(RecordLine.of(record)));
    Path kept = unused(files, path);
    Path repaired = path.resolveSibling(path.getFileName() + ".repaired");
    files.replace(repaired, ByteBuffer.wrap(lines.toByteArray()));
    files.rename(path, kept);
    files.rename(repaired, path);
    files.forceDirectory(path.toAbsolutePath().getParent());
    return kept;
  }

  private static Path unused(DurableFiles files, Path path) {
    for (int number = 1; ; number++) {
      Path kept = path.resolveSibling(path.getFileName() + ".damaged-" + number);
      if (!files.exists(kept)) {
        return kept;
      }
    }
  }

  private static Recovery recovery(DurableFiles files, Path path) {
    try (DurableFile file = files.openForReading(path)) {
      ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(file.size()));
      int size = file.read(all, 0);
      return Recovery.of(all.array(), size);
    }
  }
}
