package dev.tandem.tune.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import dev.tandem.tune.local.InlineEngine;
import dev.tandem.tune.local.LocalEngine;
import dev.tandem.tune.local.Slots;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.task.TaskGraph.Planned;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskGraphTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private Path folder;

  /** Says nothing, and adds nothing. */
  private static class Plain implements TaskGraph.Owner {

    @Override
    public TaskListener listener(TaskId task) {
      return new RecordingListener();
    }
  }

  private static TaskId id(long number) {
    return new TaskId("graph", number);
  }

  private Task task(long number, Needs needs, Objective objective) {
    Call call =
        new Call(
            Parameters.of(Map.of()),
            "",
            new Seed(number),
            0,
            "",
            folder.resolve(Long.toString(number)));
    return new Task(
        id(number), new Work.JavaWork(objective, call), needs, Limits.DEFAULT, RetryPolicy.NONE);
  }

  private Planned planned(long number, int priority, Objective objective, long... after) {
    Set<TaskId> before = new HashSet<>();
    for (long each : after) {
      before.add(id(each));
    }
    return new Planned(task(number, Needs.ONE_CORE, objective), before, priority);
  }

  private static LocalEngine cores(int count) {
    BitSet cores = new BitSet();
    cores.set(0, count);
    return new LocalEngine(Slots.of("node", cores, 0, Long.MAX_VALUE));
  }

  private static Map<TaskId, Outcome> run(TaskGraph graph) throws Exception {
    return Watchdog.within(PATIENCE, graph::run);
  }

  @Test
  void theHighestPriorityIsFirstAndNothingOvertakesIt() throws Exception {
    List<Long> order = Collections.synchronizedList(new ArrayList<>());
    Objective notes =
        context -> {
          order.add(context.number());
          return 0;
        };
    try (LocalEngine engine = cores(2)) {
      TaskGraph graph = new TaskGraph(engine, 1, new Plain());
      graph.add(
          Optional.empty(),
          List.of(
              planned(0, 0, notes),
              planned(1, 5, notes, 4),
              planned(2, 1, notes),
              planned(3, 1, notes),
              planned(4, 0, notes)));
      run(graph);
      assertEquals(List.of(2L, 3L, 0L, 4L, 1L), order);
    }
  }

  @Test
  void whatComesAfterAFailureIsSkippedAndAllElseGoesOn() throws Exception {
    try (LocalEngine engine = cores(2)) {
      TaskGraph graph = new TaskGraph(engine, 2, new Plain());
      graph.add(
          Optional.empty(),
          List.of(
              planned(
                  0,
                  0,
                  context -> {
                    throw new IllegalStateException("broken");
                  }),
              planned(1, 0, context -> 1, 0),
              planned(2, 0, context -> 2, 1),
              planned(3, 0, context -> 3),
              planned(4, 0, context -> 4, 3)));
      Map<TaskId, Outcome> outcomes = run(graph);
      assertInstanceOf(Outcome.Failed.class, outcomes.get(id(0)));
      assertEquals(new Outcome.Skipped(id(0)), outcomes.get(id(1)));
      assertEquals(new Outcome.Skipped(id(1)), outcomes.get(id(2)));
      assertEquals(new Outcome.Completed(4), outcomes.get(id(4)));
    }
  }

  @Test
  void whatComesAfterATaskComesAfterItsChildren() throws Exception {
    List<Long> order = Collections.synchronizedList(new ArrayList<>());
    Objective notes =
        context -> {
          order.add(context.number());
          return 0;
        };
    TaskGraph[] graph = new TaskGraph[1];
    // 0 has the children 10 and 11, and 11 the child 20, which fails.
    TaskGraph.Owner owner =
        new Plain() {
          @Override
          public Outcome ended(Task task, Outcome outcome) {
            if (task.id().equals(id(0))) {
              graph[0].add(
                  Optional.of(id(0)), List.of(planned(10, 0, notes), planned(11, 0, notes, 10)));
            } else if (task.id().equals(id(11))) {
              graph[0].add(
                  Optional.of(id(11)),
                  List.of(
                      planned(
                          20,
                          0,
                          context -> {
                            throw new IllegalStateException("broken");
                          })));
            }
            return outcome;
          }
        };
    try (LocalEngine engine = cores(2)) {
      graph[0] = new TaskGraph(engine, 2, owner);
      graph[0].add(
          Optional.empty(),
          List.of(planned(0, 0, notes), planned(1, 9, notes, 0), planned(2, -1, notes)));
      Map<TaskId, Outcome> outcomes = run(graph[0]);
      assertEquals(new Outcome.Skipped(id(20)), outcomes.get(id(1)));
      assertTrue(order.indexOf(10L) < order.indexOf(11L), order.toString());
      assertEquals(Set.of(0L, 2L, 10L, 11L), Set.copyOf(order));
    }
  }

  @Test
  void aTaskWhoseNeedsDoNotFitBesideOthersWaits() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Objective counted =
        context -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          running.decrementAndGet();
          return 0;
        };
    try (LocalEngine engine = cores(2)) {
      TaskGraph graph = new TaskGraph(engine, 8, new Plain());
      List<Planned> all = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        all.add(new Planned(task(i, new Needs(1, 2, 0, 0), counted), Set.of(), 0));
      }
      graph.add(Optional.empty(), all);
      run(graph);
      assertEquals(1, most.get());
    }
  }

  @Test
  void cancellingEndsWhatRunsAndStartsNothing() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    try (LocalEngine engine = cores(1)) {
      TaskGraph graph = new TaskGraph(engine, 1, new Plain());
      graph.add(
          Optional.empty(),
          List.of(
              planned(
                  0,
                  0,
                  context -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                    return 0;
                  }),
              planned(1, 0, context -> 0),
              planned(2, 0, context -> 0, 0)));
      Thread canceller =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      started.await();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                    graph.cancel();
                  });
      Map<TaskId, Outcome> outcomes = run(graph);
      canceller.join();
      assertEquals(new Outcome.Cancelled(), outcomes.get(id(0)));
      assertEquals(new Outcome.Cancelled(), outcomes.get(id(1)));
      assertEquals(new Outcome.Skipped(id(0)), outcomes.get(id(2)));
    }
  }

  @Test
  void whatCanNeverRunIsRefusedWhole() {
    try (LocalEngine engine = cores(2)) {
      TaskGraph graph = new TaskGraph(engine, 2, new Plain());
      Objective any = context -> 0;
      List<List<Planned>> wrong =
          List.of(
              List.of(planned(0, 0, any), planned(1, 0, any, 2), planned(2, 0, any, 1)),
              List.of(planned(0, 0, any, 0)),
              List.of(planned(0, 0, any, 7)),
              List.of(planned(0, 0, any), planned(0, 0, any)),
              List.of(new Planned(task(0, new Needs(1, 3, 0, 0), any), Set.of(), 0)));
      for (List<Planned> each : wrong) {
        assertThrows(UsageException.class, () -> graph.add(Optional.empty(), each));
      }
      graph.add(Optional.empty(), List.of(planned(0, 0, any)));
    }
  }

  @Test
  void randomGraphsKeepTheirOrder() throws Exception {
    SplittableRandom random = TestSeed.of(TaskGraphTest.class).random();
    int count = 400;
    Map<Long, Set<Long>> after = new HashMap<>();
    Set<Long> done = Collections.synchronizedSet(new HashSet<>());
    List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    List<Planned> all = new ArrayList<>();
    for (long number = 0; number < count; number++) {
      Set<Long> before = new HashSet<>();
      for (int i = random.nextInt(4); i > 0 && number > 0; i--) {
        before.add(random.nextLong(number));
      }
      after.put(number, before);
      long[] numbers = before.stream().mapToLong(each -> each).toArray();
      all.add(
          planned(
              number,
              random.nextInt(3),
              context -> {
                if (!done.containsAll(after.get(context.number()))) {
                  wrong.add("task " + context.number() + " was too early");
                }
                done.add(context.number());
                return 0;
              },
              numbers));
    }
    Collections.shuffle(all, java.util.Random.from(random));
    try (InlineEngine inline = new InlineEngine();
        LocalEngine local = cores(2)) {
      for (TaskEngine engine : List.of(inline, local)) {
        done.clear();
        TaskGraph graph = new TaskGraph(engine, 4, new Plain());
        graph.add(Optional.empty(), all);
        assertEquals(count, run(graph).size());
        assertEquals(List.of(), wrong);
        assertEquals(count, done.size());
      }
    }
  }
}
