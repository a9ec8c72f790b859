package dev.tandem.sync.tune;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.sync.BlockingSynchronizer;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.Completion;
import dev.tandem.sync.request.Request;
import dev.tandem.testkit.Watchdog;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AutoSynchronizerTest {

  private static final int RANKS = 2;
  private static final int TENSORS = 5;
  private static final int ELEMENTS = 70_000;
  private static final Search.Effort SHORT = new Search.Effort(2, 1, 2, 0.02);

  @TempDir Path folder;

  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
  private final Set<String> used = new ConcurrentSkipListSet<>();

  /** Trains until the search is over and some steps more; gives the policies, by rank. */
  private List<String> train() throws Exception {
    return Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          try (ExecutorService threads = Executors.newFixedThreadPool(RANKS)) {
            List<Callable<String>> work = new ArrayList<>();
            Communicator.threads(RANKS).forEach(ranks -> work.add(() -> rank(ranks)));
            List<String> chosen = new ArrayList<>();
            for (Future<String> future : threads.invokeAll(work)) {
              chosen.add(future.get());
            }
            return chosen;
          }
        });
  }

  private String rank(Communicator communicator) {
    Function<SyncOptions, Synchronizer> starter =
        options -> {
          used.add(options.policy().toString());
          return Synchronizer.over(communicator, options).planning(graph()).start();
        };
    SplittableRandom random = new SplittableRandom(communicator.rank());
    try (communicator;
        AutoSynchronizer auto =
            AutoSynchronizer.start(communicator, graph(), folder, starter, lines::add, SHORT)) {
      int left = 3;
      for (int step = 0; left > 0; step++) {
        step(auto, communicator, random);
        left -= auto.searching() ? 0 : 1;
        assertTrue(step < 200, "the search does not end");
      }
      return auto.options().policy().toString();
    }
  }

  /** The sums are those of a synchroniser that knows no policy, bit by bit. */
  private static void step(AutoSynchronizer auto, Communicator communicator, SplittableRandom by) {
    List<float[]> gradients = new ArrayList<>();
    List<float[]> expected = new ArrayList<>();
    for (int i = 0; i < TENSORS; i++) {
      float[] values = new float[ELEMENTS];
      for (int at = 0; at < ELEMENTS; at += 97) {
        values[at] = (float) by.nextDouble(-1, 1);
      }
      gradients.add(values);
      expected.add(values.clone());
    }
    BlockingSynchronizer blocking = new BlockingSynchronizer(communicator);
    for (int i = 0; i < TENSORS; i++) {
      auto.submit(view(i, gradients.get(i)), 0.3f);
    }
    auto.await();
    for (int i = 0; i < TENSORS; i++) {
      blocking.submit(view(i, expected.get(i)), 0.3f);
    }
    blocking.await();
    for (int i = 0; i < TENSORS; i++) {
      assertArrayEquals(expected.get(i), gradients.get(i), 0f);
    }
  }

  private static TensorView view(int number, float[] values) {
    return new TensorView(
        "tensor" + number, DType.FLOAT32, Shape.of(ELEMENTS), MemorySegment.ofArray(values));
  }

  private static RequestGraph graph() {
    RequestGraph.Builder graph = new RequestGraph.Builder();
    for (int i = 0; i < TENSORS; i++) {
      Completion nobody = outcome -> {};
      TensorView view = view(i, new float[ELEMENTS]);
      graph.request(view.name(), Request.gradient(view, 1, nobody).signature());
    }
    return graph.build();
  }

  @Test
  void ranksChooseTheSameAndKeepIt() throws Exception {
    List<String> first = train();
    assertEquals(1, Set.copyOf(first).size(), first::toString);
    assertTrue(used.size() >= 5, used::toString);
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.getFirst().startsWith("synchronisation tuned in "), lines::toString);
    lines.clear();
    used.clear();
    assertEquals(first, train());
    assertEquals(Set.copyOf(first), used, "nothing else is tried");
    assertTrue(lines.getFirst().startsWith("synchronisation as tuned before: "), lines::toString);
  }

  @Test
  void aFileThatIsNoGoodCostsOneLine() throws Exception {
    TuningFile file = new TuningFile(folder, new TuningKey("tensors 1 ranks 2"), lines::add);
    assertTrue(file.read().isEmpty());
    assertEquals(0, lines.size(), "a file that is not there is no news");
    Candidate topo = Candidate.of("topo").withFusionBytes(5 << 20);
    file.write(topo, 12.5);
    assertEquals(topo, file.read().orElseThrow());
    String good = Files.readString(file.path());
    check(file, good.replace("tuning 1", "tuning 2"), "was written by another version");
    check(file, good.replace("topo", "tOpo"), "is damaged");
    check(file, good.substring(0, good.length() / 2), "is damaged");
    check(file, "", "is no such file");
    check(file, "\u0000\u0001", "is no such file");
    TuningFile other = new TuningFile(folder, new TuningKey("tensors 2 ranks 2"), lines::add);
    assertFalse(other.path().equals(file.path()));
    Files.writeString(other.path(), good);
    assertTrue(other.read().isEmpty());
    assertTrue(lines.getLast().contains("is for another training"), lines::toString);
  }

  private void check(TuningFile file, String content, String complaint) throws Exception {
    Files.writeString(file.path(), content);
    lines.clear();
    assertTrue(file.read().isEmpty());
    assertEquals(
        List.of("%s %s: synchronisation is tuned again".formatted(file.path(), complaint)), lines);
  }
}
