package dev.tandem.ensemble.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.data.share.ShareOptions;
import dev.tandem.data.share.ShareStatus;
import dev.tandem.data.share.SharedLoader;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.data.source.Sources;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The adaptive pipeline, as the driver of an ensemble runs it. */
class ShareMonitorTest {

  private static final int RECORDS = 96;
  private static final int BATCH = 4;
  private static final long SLOW_NANOS = 10_000_000;
  private static final int FASTER = 5;

  private final Seed seed = new Seed(TestSeed.of(ShareMonitorTest.class).random().nextLong());

  /** As long as a fast consumer takes for a sample. */
  private final PausingPreparation preparation = new PausingPreparation(SLOW_NANOS / FASTER);

  private final AtomicBoolean fast = new AtomicBoolean();
  private final AtomicBoolean ended = new AtomicBoolean();

  @TempDir Path folder;

  @Test
  void choosesAgainWhenMembersBecomeFiveTimesAsFastAndLosesNothing() throws Exception {
    Path database = folder.resolve("digits");
    GlyphDatabase.write(database, seed, RECORDS, Progress.SILENT);
    SampleOrder order = new SampleOrder(seed, RECORDS, Shuffle.BY_INDEX);
    ShareOptions options = ShareOptions.DEFAULT.withConsumers(2).withThreads(2).withBytes(64 << 10);
    List<String> choices = new ArrayList<>();
    ShareStatus last;
    try (RecordSource source = Sources.open(database, SourceFormat.Split.TRAIN);
        ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new);
        ShareMonitor monitor = new ShareMonitor(Optional.of(place()), folder, true, choices::add)) {
      List<Future<int[]>> members = new ArrayList<>();
      for (String name : List.of("a", "b")) {
        Callable<int[]> member =
            () -> {
              try (SharedSamples share =
                  SharedSamples.join(place(), "digits", source, order, preparation, options)) {
                return consume(share, name, order);
              }
            };
        members.add(threads.submit(member));
      }
      awaitChoice(
          monitor,
          () -> !choices.isEmpty() && choices.getLast().contains("with 1 preprocessing threads"));
      int before = choices.size();
      fast.set(true);
      awaitChoice(monitor, () -> choices.size() > before);
      ended.set(true);
      for (Future<int[]> member : members) {
        int[] had = Watchdog.within(Duration.ofSeconds(30), member::get);
        int passes = had[0];
        assertTrue(passes > 0);
        assertTrue(Arrays.stream(had).allMatch(count -> count == passes), Arrays.toString(had));
      }
      last = monitor.status().orElseThrow();
    }
    assertEquals(2, last.consumers().size());
    for (ShareStatus.Taker taker : last.consumers()) {
      assertTrue(taker.exact(RECORDS), taker.toString());
    }
    List<String> lines = Files.readAllLines(folder.resolve(ShareMonitor.FILE));
    JsonNode line = new ObjectMapper().readTree(lines.getLast());
    assertEquals(2, line.path("consumers").size());
    assertTrue(line.path("preprocessors").asInt() > 1, line.toString());
  }

  private Path place() {
    return folder.resolve("share");
  }

  private static void awaitChoice(ShareMonitor monitor, BooleanSupplier made) throws Exception {
    var _ =
        Watchdog.within(
            Duration.ofSeconds(60),
            () -> {
              monitor.look();
              while (!made.getAsBoolean()) {
                LockSupport.parkNanos(20_000_000);
                monitor.look();
              }
              return true;
            });
  }

  /** How often each record was had, in whole passes. */
  private int[] consume(SharedSamples share, String name, SampleOrder order) {
    int[] had = new int[RECORDS];
    Steps steps = new Steps(order, BATCH, EpochEnd.CIRCULAR);
    try (SharedLoader loader =
        share.loader(name, steps, Plan.alone(1 << 20), LoaderOptions.DEFAULT, Optional.empty())) {
      for (int taken = 0; taken % RECORDS != 0 || !ended.get(); taken += BATCH) {
        Batch batch = loader.next();
        for (int i = 0; i < batch.count(); i++) {
          had[(int) batch.labels().getAtIndex(ValueLayout.JAVA_LONG, i)]++;
        }
        LockSupport.parkNanos(BATCH * (fast.get() ? SLOW_NANOS / FASTER : SLOW_NANOS));
      }
    }
    return had;
  }
}
