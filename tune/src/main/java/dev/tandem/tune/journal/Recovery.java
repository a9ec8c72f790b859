package dev.tandem.tune.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a journal holds, whatever was done to it.
 *
 * <p>{@code Note [recovery]}: the first record of every batch says how many bytes were known to be
 * on the disk when it was written. The file is read to the first byte at which no whole record
 * begins. If none behind that place says that more was safe, then nothing behind it was ever
 * acknowledged (blocks reach a disk in any order) and it is cut off. If one says so, the file was
 * damaged later, and is refused: cutting would lose results.
 *
 * @param records all before the end
 * @param end bytes up to which the file is whole
 * @param behind whether anything but zeros follows
 * @param damaged whether something that was safe is not readable
 * @param saved records behind the damage that are whole
 */
record Recovery(
    List<JournalRecord> records,
    long end,
    boolean behind,
    boolean damaged,
    List<JournalRecord> saved) {

  /** Reads all there is. */
  static Recovery of(byte[] bytes, int size) {
    List<JournalRecord> records = new ArrayList<>();
    int at = 0;
    while (at < size && bytes[at] != 0) {
      int to = endOfLine(bytes, at, size);
      if (to == size || !RecordLine.whole(bytes, at, to)) {
        break;
      }
      try {
        records.add(RecordLine.read(bytes, at, to));
      } catch (IOException e) {
        break;
      }
      at = to + 1;
    }
    return behind(records, bytes, at, size);
  }

  private static Recovery behind(List<JournalRecord> records, byte[] bytes, int end, int size) {
    boolean behind = false;
    boolean damaged = false;
    List<JournalRecord> saved = new ArrayList<>();
    int at = end;
    while (at < size) {
      if (bytes[at] == 0) {
        at++;
        continue;
      }
      behind = true;
      int to = endOfLine(bytes, at, size);
      if (to < size && RecordLine.whole(bytes, at, to)) {
        try {
          saved.add(RecordLine.read(bytes, at, to));
          damaged |= RecordLine.safe(bytes, at, to).filter(safe -> safe > end).isPresent();
        } catch (IOException e) {
          damaged = true;
        }
      }
      at = to + 1;
    }
    return new Recovery(records, end, behind, damaged, saved);
  }

  private static int endOfLine(byte[] bytes, int from, int size) {
    int at = from;
    while (at < size && bytes[at] != '\n') {
      at++;
    }
    return at;
  }
}
