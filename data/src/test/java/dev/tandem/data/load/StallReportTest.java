package dev.tandem.data.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.data.DataRecord;
import dev.tandem.data.HeldRecords;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.augment.Augmentation;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.decode.SampleDecoder;
import dev.tandem.data.load.StallReport.Stage;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Each part in turn is a hundred times slower than the others; the report must name it. */
class StallReportTest {

  private static final long SLOW_NANOS = 2_000_000;
  private static final NumberRecords NUMBERS = new NumberRecords(100, 4);

  /** Takes its time, as slow work does, without using a core. */
  private static void work() {
    long end = System.nanoTime() + SLOW_NANOS;
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private static StallReport run(Stage slow) throws Exception {
    RecordSource source =
        new RecordSource() {
          @Override
          public long size() {
            return NUMBERS.size();
          }

          @Override
          public DataRecord record(long ordinal) {
            if (slow == Stage.STORAGE) {
              work();
            }
            return NUMBERS.record(ordinal);
          }

          @Override
          public RecordBlock fetch(long[] ordinals) {
            DataRecord[] records = new DataRecord[ordinals.length];
            for (int i = 0; i < records.length; i++) {
              records[i] = record(ordinals[i]);
            }
            return new HeldRecords(records);
          }

          @Override
          public void close() {}
        };
    SampleDecoder decoder =
        record -> {
          if (slow == Stage.DECODE) {
            work();
          }
          return new DatumDecoder(1).decode(record);
        };
    Augmentation augmentation =
        (image, random) -> {
          if (slow == Stage.AUGMENT) {
            work();
          }
          return image;
        };
    Preparation preparation =
        new Preparation(decoder, augmentation, Normalisation.UNIT, NUMBERS.format(), new Seed(1));
    Steps steps = new Steps(new SampleOrder(new Seed(1), 100, Shuffle.NONE), 4, EpochEnd.CIRCULAR);
    return Watchdog.within(
        Duration.ofSeconds(60),
        () -> {
          // Little memory, so that nothing is far ahead; a slow consumer finds all of it full.
          LoaderOptions options =
              slow == Stage.CONSUMER
                  ? LoaderOptions.DEFAULT
                  : LoaderOptions.DEFAULT.withPrefetchBytes(1);
          try (Loader loader = new Loader(source, steps, preparation, Plan.alone(60), options)) {
            while (loader.hasNext()) {
              loader.next();
              if (slow == Stage.CONSUMER) {
                work();
              }
            }
            return loader.stalls();
          }
        });
  }

  @Test
  void theSlowestPartIsNamed() throws Exception {
    for (Stage slow : Stage.values()) {
      StallReport report = run(slow);
      assertEquals(slow, report.bottleneck(), report.sentence());
      assertTrue(report.sentence().startsWith("The bottleneck is "), report.sentence());
      double shares =
          report.workersWaitForStorage()
              + report.workersDecode()
              + report.workersAugment()
              + report.workersWaitForConsumer();
      assertEquals(1, shares, 1e-6);
      assertTrue(report.samples() >= 240, "samples " + report.samples());
    }
  }

  @Test
  void theSentenceHasTheShares() {
    StallReport report = new StallReport(10, 0.1, 500, 1_000, 7, 0.62, 0.71, 0.2, 0.06, 0.03);
    assertEquals(Stage.STORAGE, report.bottleneck());
    assertEquals(
        "The bottleneck is the storage: the consumer waited 62% of its time for batches; the"
            + " decoding threads waited 71% of theirs for records, decoded 20%, augmented 6% and"
            + " waited 3% for the consumer.",
        report.sentence());
  }
}
