package dev.tandem.data.read.mode;

import java.util.Arrays;

/**
 * Guesses which pages a root will need in its next iteration, and corrects itself: it keeps the
 * least and the greatest deviation of what was needed from what was guessed, and guesses as much
 * wider. For one thread.
 */
final class PageHistory {

  private static final int FIRST_PAGE = 2;

  private final double pagesPerRecord;
  private final long slack;
  private final long lastPage;
  private long lowest;
  private long highest;
  private long previousStart = -1;
  private long previousOrdinal;
  private long guessedStart;
  private long guessedEnd;

  /**
   * @param recordsPerLeaf a leaf lies this many records from those it names, at most
   */
  PageHistory(long records, long lastPage, double recordsPerLeaf) {
    this.pagesPerRecord = (double) (lastPage + 1 - FIRST_PAGE) / records;
    this.slack = (long) Math.ceil(recordsPerLeaf * pagesPerRecord) + FIRST_PAGE;
    this.lastPage = lastPage;
  }

  /** Guesses where records lie, from the one with this ordinal on. */
  void guess(long ordinal, long count) {
    guessedStart =
        previousStart >= 0 && ordinal >= previousOrdinal
            ? previousStart + (long) ((ordinal - previousOrdinal) * pagesPerRecord)
            : FIRST_PAGE + (long) (ordinal * pagesPerRecord);
    guessedEnd = guessedStart + (long) Math.ceil(count * pagesPerRecord);
    previousOrdinal = ordinal;
  }

  /** The first page to touch. */
  long from() {
    return Math.clamp(guessedStart + lowest - slack, FIRST_PAGE, lastPage);
  }

  /** The last page to touch. */
  long to() {
    return Math.clamp(guessedEnd + highest + slack, FIRST_PAGE, lastPage);
  }

  /**
   * Where records begin, from the pages of all of them: the middle of what each says, because
   * single ones lie far off, on pages that were freed and used again.
   */
  long start(long[] pages, int count) {
    long[] starts = new long[count];
    for (int i = 0; i < count; i++) {
      starts[i] = pages[i] - (long) (i * pagesPerRecord);
    }
    Arrays.sort(starts);
    return starts[count / 2];
  }

  /** What was needed in truth: where the records began, and the lowest and highest page of all. */
  void correct(long start, long low, long high) {
    lowest = Math.min(lowest, low - guessedStart);
    highest = Math.max(highest, high - guessedEnd);
    previousStart = start;
  }
}
