package dev.tandem.sync.trace;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.policy.SyncOptions;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A rank that behaves as one that trains: a thread prepares input, the main thread waits for it,
 * computes, asks for its gradients and waits for the sums. The time of input and computation is
 * that of a device the thread sleeps for, and what is slow takes several times as long as the rest
 * of the rank's last step, so that a loaded machine does not change the outcome.
 */
public final class WatchedRank {

  private static final int TENSORS = 6;
  private static final long NORMAL_MILLIS = 3;
  private static final long SLOW_MILLIS = 80;
  private static final int SLOW_TIMES_THE_REST = 3;

  /** Do not count: the JVM compiles in them. */
  private static final int WARM_UP = 10;

  private WatchedRank() {}

  /**
   * Trains.
   *
   * @param arguments the policy, the timeline's file, steps, elements of a gradient, what is slow
   *     ({@code input}, {@code compute} or {@code nothing}), and on which rank
   */
  public static void main(String[] arguments) throws InterruptedException {
    Path file = Path.of(arguments[1]);
    int steps = Integer.parseInt(arguments[2]);
    int elements = Integer.parseInt(arguments[3]);
    System.out.println("pid " + ProcessHandle.current().pid());
    try (Communicator communicator = Communicator.join();
        Timeline timeline = Timeline.begin(communicator, file)) {
      boolean slow = communicator.rank() == Integer.parseInt(arguments[5]);
      StepMeter meter = new StepMeter("input-");
      try (Synchronizer synchronizer =
          Synchronizer.over(communicator, SyncOptions.of(arguments[0]))
              .observedBy(SyncObserver.all(List.of(meter, timeline)))
              .start()) {
        Device reader = new Device(slow && arguments[4].equals("input"));
        Device computer = new Device(slow && arguments[4].equals("compute"));
        BlockingQueue<Integer> input = input(steps, reader);
        List<TensorView> gradients = gradients(elements);
        for (int step = 0; step < steps; step++) {
          step(synchronizer, meter, input, reader, computer, gradients);
          if (step % 10 == 0) {
            System.out.println("step " + step);
          }
          if (step == WARM_UP) {
            meter.readTimes();
            meter.readOversleep();
          }
        }
        communicator.barrier();
      }
      StragglerReport report = StragglerReport.collect(communicator, meter);
      if (communicator.rank() == 0) {
        System.out.println(report.text());
        StragglerReport.Finding finding = report.finding();
        System.out.println("finding %s %d".formatted(finding.cause(), finding.rank()));
      }
    }
  }

  private static void step(
      Synchronizer synchronizer,
      StepMeter meter,
      BlockingQueue<Integer> input,
      Device reader,
      Device computer,
      List<TensorView> gradients)
      throws InterruptedException {
    long began = System.nanoTime();
    input.take();
    long read = System.nanoTime();
    meter.computes();
    computer.work();
    gradients.forEach(gradient -> synchronizer.submit(gradient, 1));
    long computed = System.nanoTime();
    synchronizer.await();
    meter.step(read - began, computed - read);
    long step = System.nanoTime() - began;
    reader.rest(step - (read - began));
    computer.rest(step - (computed - read));
  }

  private static BlockingQueue<Integer> input(int steps, Device reader) {
    BlockingQueue<Integer> ready = new ArrayBlockingQueue<>(1);
    Thread.ofPlatform()
        .daemon()
        .name("input-0")
        .start(
            () -> {
              for (int step = 0; step < steps; step++) {
                reader.work();
                try {
                  ready.put(step);
                } catch (InterruptedException e) {
                  return;
                }
              }
            });
    return ready;
  }

  private static List<TensorView> gradients(int elements) {
    List<TensorView> gradients = new ArrayList<>();
    for (int i = 0; i < TENSORS; i++) {
      MemorySegment data = MemorySegment.ofArray(new float[elements]);
      gradients.add(new TensorView("layer" + i, DType.FLOAT32, Shape.of(elements), data));
    }
    return gradients;
  }

  /** What reads or computes while its thread sleeps. */
  private static final class Device {

    private final boolean slow;
    private volatile long restNanos;

    Device(boolean slow) {
      this.slow = slow;
    }

    /** Everything else in the last step took this long. */
    void rest(long nanos) {
      restNanos = nanos;
    }

    void work() {
      long nanos =
          slow
              ? Math.max(SLOW_MILLIS * 1_000_000, SLOW_TIMES_THE_REST * restNanos)
              : NORMAL_MILLIS * 1_000_000;
      long end = System.nanoTime() + nanos;
      while (System.nanoTime() < end) {
        LockSupport.parkNanos(end - System.nanoTime());
      }
    }
  }
}
