package dev.tandem.data.share;

/** Shows, at the end of each pass of a consumer, whether each record was there once. One thread. */
final class PassChecksum {

  private final Consumer row;
  private long pass;
  private long sum;

  /**
   * Goes on in a pass.
   *
   * @param row of the consumer, where the sum of the last complete pass is shown
   * @param sum of the records that the pass has had
   */
  PassChecksum(Consumer row, long pass, long sum) {
    this.row = row;
    this.pass = pass;
    this.sum = sum;
  }

  /** Counts a record. */
  void add(long ordinal) {
    sum += TakenSamples.mix(ordinal);
  }

  /** What follows belongs to this pass. */
  void at(long now) {
    if (now != pass) {
      row.add(Consumer.PASSES, 1);
      row.set(Consumer.CHECKSUM, sum);
      sum = 0;
      pass = now;
    }
  }
}
