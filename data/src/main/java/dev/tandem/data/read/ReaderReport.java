package dev.tandem.data.read;

import dev.tandem.data.read.mode.Breakdown;
import dev.tandem.posix.ProcessCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one reader did. Times are of the reader's own thread, except planning, which runs beside it.
 *
 * @param mode the mode it read by, after an automatic choice
 * @param choice why, if it was chosen; else empty
 * @param index how the index came to be, or empty where none was used
 * @param seconds from the beginning of reading, common to all readers, to the end of this one
 * @param seekSeconds looking for records: cursors, index, places that others hand out
 * @param readSeconds waiting for bytes; with a mapping also looking at them
 * @param copySeconds copying records into shared memory
 * @param skewSeconds waiting for other readers
 * @param consumeSeconds in the consumer, where that can be separated from reading
 * @param sleepShare part of the time that the reader's thread did not run
 * @param bytesNeeded keys and values of this reader's records
 * @param bytesRead bytes that this process had from the storage
 * @param redundantPages touched in advance and not needed (mode dm), all iterations
 * @param missedPages needed and not touched in advance (mode dm), all iterations
 * @param missedAfterSecond those of the third and later iterations
 * @param redundantByIteration redundant pages of each iteration, where the reader is a root of mode
 *     dm; else empty
 * @param missedByIteration missed pages, likewise
 */
public record ReaderReport(
    int reader,
    String mode,
    String choice,
    String index,
    long records,
    long checksum,
    double seconds,
    double seekSeconds,
    double readSeconds,
    double copySeconds,
    double skewSeconds,
    double consumeSeconds,
    double sleepShare,
    long bytesNeeded,
    long bytesRead,
    long redundantPages,
    long missedPages,
    long missedAfterSecond,
    long minorFaults,
    long majorFaults,
    long voluntarySwitches,
    long involuntarySwitches,
    List<Long> redundantByIteration,
    List<Long> missedByIteration) {

  private static final String MARK = "tandem-reader";
  private static final int FIELDS = 25;

  public ReaderReport {
    redundantByIteration = List.copyOf(redundantByIteration);
    missedByIteration = List.copyOf(missedByIteration);
  }

  static ReaderReport of(
      int reader,
      String mode,
      String choice,
      String index,
      long checksum,
      double seconds,
      Breakdown times,
      ProcessCounters counters) {
    long missedLater = 0;
    for (int i = 2; i < times.missedPages.length; i++) {
      missedLater += times.missedPages[i];
    }
    return new ReaderReport(
        reader,
        mode,
        choice,
        index,
        times.records,
        checksum,
        seconds,
        times.seek / 1e9,
        times.read / 1e9,
        times.copy / 1e9,
        times.skew / 1e9,
        times.consume / 1e9,
        Math.clamp(1 - counters.threadRunNanos() / 1e9 / Math.max(seconds, 1e-9), 0, 1),
        times.bytesNeeded,
        counters.deviceBytes(),
        sum(times.redundantPages),
        sum(times.missedPages),
        missedLater,
        counters.minorFaults(),
        counters.majorFaults(),
        counters.voluntarySwitches(),
        counters.involuntarySwitches(),
        list(times.redundantPages, times.guessedIterations),
        list(times.missedPages, times.guessedIterations));
  }

  private static List<Long> list(long[] counts, int length) {
    List<Long> list = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      list.add(counts[i]);
    }
    return list;
  }

  private static String text(List<Long> counts) {
    StringBuilder text = new StringBuilder();
    for (long count : counts) {
      text.append(text.isEmpty() ? "" : ",").append(count);
    }
    return text.toString();
  }

  private static List<Long> counts(String text) {
    List<Long> counts = new ArrayList<>();
    for (String count : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      counts.add(Long.parseLong(count));
    }
    return counts;
  }

  private static long sum(long[] pages) {
    long sum = 0;
    for (long count : pages) {
      sum += count;
    }
    return sum;
  }

  /** As a line that a process prints for the one that started it. */
  String line() {
    StringBuilder line = new StringBuilder(MARK);
    Object[] values = {
      reader,
      mode,
      choice,
      index,
      records,
      checksum,
      seconds,
      seekSeconds,
      readSeconds,
      copySeconds,
      skewSeconds,
      consumeSeconds,
      sleepShare,
      bytesNeeded,
      bytesRead,
      redundantPages,
      missedPages,
      missedAfterSecond,
      minorFaults,
      majorFaults,
      voluntarySwitches,
      involuntarySwitches,
      text(redundantByIteration),
      text(missedByIteration)
    };
    for (Object value : values) {
      line.append('\t').append(value);
    }
    return line.toString();
  }

  /** From a line that a reader printed, if it is one. */
  public static Optional<ReaderReport> ofLine(String line) {
    String[] words = line.split("\t", -1);
    if (words.length != FIELDS || !words[0].equals(MARK)) {
      return Optional.empty();
    }
    return Optional.of(
        new ReaderReport(
            Integer.parseInt(words[1]),
            words[2],
            words[3],
            words[4],
            Long.parseLong(words[5]),
            Long.parseLong(words[6]),
            Double.parseDouble(words[7]),
            Double.parseDouble(words[8]),
            Double.parseDouble(words[9]),
            Double.parseDouble(words[10]),
            Double.parseDouble(words[11]),
            Double.parseDouble(words[12]),
            Double.parseDouble(words[13]),
            Long.parseLong(words[14]),
            Long.parseLong(words[15]),
            Long.parseLong(words[16]),
            Long.parseLong(words[17]),
            Long.parseLong(words[18]),
            Long.parseLong(words[19]),
            Long.parseLong(words[20]),
            Long.parseLong(words[21]),
            Long.parseLong(words[22]),
            counts(words[23]),
            counts(words[24])));
  }
}
