package dev.tandem.data.share;

import java.util.ArrayList;
import java.util.List;

/**
 * How a share stands at a moment.
 *
 * @param prepared samples, by all for all
 * @param busySeconds that threads took for them, waiting for a processor included
 * @param cpuSeconds of processors that they took
 * @param threads that prepare samples, of all processes
 * @param limit how many of them may work; 0 for all
 * @param head the place in the sequence after the last sample that is prepared or being prepared
 * @param window samples that fit into the memory
 */
public record ShareStatus(
    long prepared,
    double busySeconds,
    double cpuSeconds,
    int threads,
    int limit,
    long head,
    long window,
    List<Taker> consumers) {

  /**
   * One consumer.
   *
   * @param present whether it still takes samples
   * @param queue samples that are prepared, or being prepared, and lie before it
   * @param every it takes one in so many records of a round
   * @param rate samples per second that it takes when it need not wait; 0 if it is not known yet
   * @param delivered samples that it had
   * @param alone samples of them that it had to prepare for itself
   * @param passes of its own that are complete
   * @param checksum of the records of the last complete pass: see {@link #checksum(long)}
   * @param moves how often it was too slow and went on further ahead
   */
  public record Taker(
      String name,
      boolean present,
      long queue,
      int every,
      double rate,
      long delivered,
      long alone,
      double waitedSeconds,
      long passes,
      long checksum,
      long moves) {

    /** Whether its last complete pass had every one of so many records once. */
    public boolean exact(long records) {
      return passes > 0 && checksum == ShareStatus.checksum(records);
    }
  }

  public ShareStatus {
    consumers = List.copyOf(consumers);
  }

  static ShareStatus of(ShareArea area) {
    long head = SharedWords.read(area.memory(), ShareArea.HEAD_AT) * area.geometry().chunk();
    List<Taker> takers = new ArrayList<>();
    for (Consumer row : Consumer.known(area)) {
      takers.add(
          new Taker(
              row.name(),
              Consumer.takesPart(row.state()),
              row.queue(),
              row.every(),
              row.rate(),
              row.get(Consumer.DELIVERED),
              row.get(Consumer.ALONE),
              row.get(Consumer.WAITED_NANOS) / 1e9,
              row.get(Consumer.PASSES),
              row.get(Consumer.CHECKSUM),
              row.get(Consumer.MOVES)));
    }
    return new ShareStatus(
        area.participants().sum(Participants.PREPARED),
        area.participants().sum(Participants.BUSY_NANOS) / 1e9,
        area.participants().sum(Participants.CPU_NANOS) / 1e9,
        area.participants().threads(),
        SharedWords.readInt(area.memory(), ShareArea.LIMIT_AT),
        head,
        area.geometry().samples(),
        takers);
  }

  /** The sum that a pass over so many records gives if each was there once. */
  public static long checksum(long records) {
    long sum = 0;
    for (long ordinal = 0; ordinal < records; ordinal++) {
      sum += TakenSamples.mix(ordinal);
    }
    return sum;
  }
}
