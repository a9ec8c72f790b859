package dev.tandem.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoaderTest {

  private static final ImageFormat FORMAT = new ImageFormat(1, 1, 2, 10, 0.5, 0.25);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Records 0..size-1 whose two pixels spell the ordinal; the label is its last digit. */
  private record Numbers(long size, long bad) implements RecordSource {

    @Override
    public DataRecord record(long ordinal) {
      byte[] pixels = {(byte) (ordinal >> 8), (byte) ordinal};
      byte[] value = Datum.of(1, 1, 2, (int) (ordinal % 10), pixels).encode();
      byte[] key = "%08d".formatted(ordinal).getBytes(StandardCharsets.US_ASCII);
      return new DataRecord(
          MemorySegment.ofArray(key),
          MemorySegment.ofArray(ordinal == bad ? new byte[] {1} : value));
    }

    @Override
    public void close() {}
  }

  private static List<Long> ordinals(Batch batch) {
    List<Long> ordinals = new ArrayList<>();
    for (int i = 0; i < batch.count(); i++) {
      long high = pixel(batch, 2 * i);
      long ordinal = (high << 8) | pixel(batch, 2 * i + 1);
      assertEquals(ordinal % 10, batch.labels().getAtIndex(ValueLayout.JAVA_LONG, i));
      ordinals.add(ordinal);
    }
    return ordinals;
  }

  private static long pixel(Batch batch, int index) {
    float value = batch.images().getAtIndex(ValueLayout.JAVA_FLOAT, index);
    return Math.round((value * 0.25 + 0.5) * 255);
  }

  private static List<List<Long>> load(int rank, int ranks, long from, long to) throws Exception {
    return Watchdog.within(
        LIMIT,
        () -> {
          SampleOrder order = new SampleOrder(new Seed(5), 1_003, 64);
          Loader.Plan plan = new Loader.Plan(rank, ranks, from, to);
          List<List<Long>> batches = new ArrayList<>();
          try (Numbers source = new Numbers(1_003, -1);
              Loader loader = new Loader(source, order, FORMAT, plan, 3)) {
            for (long step = from; step < to; step++) {
              batches.add(ordinals(loader.next()));
            }
            assertThrows(IllegalStateException.class, loader::next);
          }
          return batches;
        });
  }

  @Test
  void ranksTogetherGiveTheGlobalOrder() throws Exception {
    List<List<Long>> alone = load(0, 1, 0, 40);
    List<List<Long>> first = load(0, 3, 0, 40);
    List<List<Long>> second = load(1, 3, 0, 40);
    List<List<Long>> third = load(2, 3, 0, 40);
    for (int step = 0; step < 40; step++) {
      List<Long> joined = new ArrayList<>(first.get(step));
      joined.addAll(second.get(step));
      joined.addAll(third.get(step));
      assertEquals(alone.get(step), joined);
    }
  }

  @Test
  void resumingAtAStepContinuesTheSame() throws Exception {
    assertEquals(load(1, 2, 0, 40).subList(23, 40), load(1, 2, 23, 40));
  }

  @Test
  void aBadRecordIsNamed() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          SampleOrder order = new SampleOrder(new Seed(5), 10, 2);
          try (Numbers source = new Numbers(10, 7);
              Loader loader = new Loader(source, order, FORMAT, new Loader.Plan(0, 1, 0, 5), 2)) {
            var e =
                assertThrows(
                    WorkFailedException.class,
                    () -> {
                      for (int step = 0; step < 5; step++) {
                        loader.next();
                      }
                    });
            assertTrue(e.getMessage().startsWith("record '00000007': "), e.getMessage());
            assertThrows(WorkFailedException.class, loader::next);
          }
          return null;
        });
  }

  @Test
  void closingEarlyEndsTheThread() throws Exception {
    Watchdog.within(
        LIMIT,
        () -> {
          SampleOrder order = new SampleOrder(new Seed(5), 1_003, 64);
          try (Numbers source = new Numbers(1_003, -1);
              Loader loader =
                  new Loader(source, order, FORMAT, new Loader.Plan(0, 1, 0, 1_000), 2)) {
            assertEquals(64, loader.next().count());
          }
          return null;
        });
  }
}
