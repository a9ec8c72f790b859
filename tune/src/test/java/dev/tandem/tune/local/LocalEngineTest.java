package dev.tandem.tune.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.RecordingListener;
import dev.tandem.tune.task.RetryPolicy;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskEngineContract;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskId;
import dev.tandem.tune.task.Work;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LocalEngineTest extends TaskEngineContract {

  @Override
  protected TaskEngine engine() {
    return new LocalEngine();
  }

  @Test
  void aTrialSeesTheCoresThatItHas() {
    try (TaskEngine engine = engine()) {
      Outcome outcome =
          engine
              .submit(
                  task(
                      1,
                      script(1, "echo \"{\\\"accuracy\\\":$(nproc)}\""),
                      Limits.DEFAULT,
                      RetryPolicy.NONE),
                  new RecordingListener())
              .outcome()
              .join();
      assertEquals(new Outcome.Completed(1), outcome);
    }
  }

  @Test
  void tasksThatWaitSayForWhat() throws InterruptedException {
    BitSet cores = new BitSet();
    cores.set(0, 2);
    CountDownLatch go = new CountDownLatch(1);
    try (TaskEngine engine = new LocalEngine(Slots.of("here", cores, 0, 1 << 30))) {
      Work waits =
          new Work.JavaWork(
              context -> {
                go.await();
                return 1;
              },
              call(1));
      List<RecordingListener> listeners = new ArrayList<>();
      List<TaskHandle> handles = new ArrayList<>();
      for (Needs needs : List.of(Needs.ONE_CORE, new Needs(1, 2, 0, 0), Needs.ONE_CORE)) {
        listeners.add(new RecordingListener());
        TaskId id = new TaskId("study", handles.size());
        handles.add(
            engine.submit(
                new Task(id, waits, needs, Limits.DEFAULT, RetryPolicy.NONE), listeners.getLast()));
      }
      assertEquals(List.of(), listeners.get(0).waited);
      assertEquals(List.of("2 cores; 1 is free"), listeners.get(1).waited);
      assertEquals(List.of("study/1, which came first"), listeners.get(2).waited);
      go.countDown();
      handles.forEach(each -> assertEquals(new Outcome.Completed(1), each.outcome().join()));
    }
  }

  @Test
  void javaObjectivesReportAndAreInterrupted() throws InterruptedException {
    try (TaskEngine engine = engine()) {
      RecordingListener listener = new RecordingListener();
      Work counting =
          new Work.JavaWork(
              context -> {
                assertTrue(context.report(1, 0.5));
                return context.parameters().real("x");
              },
              call(1));
      assertEquals(
          new Outcome.Completed(2),
          engine
              .submit(task(1, counting, Limits.DEFAULT, RetryPolicy.NONE), listener)
              .outcome()
              .join());
      CountDownLatch started = new CountDownLatch(1);
      Work hanging =
          new Work.JavaWork(
              context -> {
                started.countDown();
                new CountDownLatch(1).await();
                return 0;
              },
              call(2));
      TaskHandle handle =
          engine.submit(task(2, hanging, Limits.DEFAULT, RetryPolicy.NONE), listener);
      started.await();
      handle.cancel();
      assertInstanceOf(Outcome.Cancelled.class, handle.outcome().join());
    }
  }

  @Test
  void slotsAreGivenOnce() {
    BitSet cores = new BitSet();
    cores.set(3, 6);
    Slots slots = Slots.of("a", cores, 1, 100);
    Slots.Placement two = slots.take(new Needs(1, 2, 1, 60)).orElseThrow();
    assertEquals(List.of(3, 4), two.cores());
    assertTrue(slots.take(new Needs(1, 2, 0, 0)).isEmpty());
    assertTrue(slots.take(new Needs(1, 0, 1, 0)).isEmpty());
    assertTrue(slots.take(new Needs(1, 0, 0, 50)).isEmpty());
    slots.release(two);
    assertTrue(slots.take(new Needs(3, 1, 0, 0)).isPresent());
  }
}
