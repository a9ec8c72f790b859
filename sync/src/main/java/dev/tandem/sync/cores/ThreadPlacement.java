package dev.tandem.sync.cores;

import dev.tandem.posix.Affinity;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Puts the threads of this process on the cores of a partition, by their names: also those of the
 * engine, which are not the JVM's. Threads come and go, so the training thread calls it step by
 * step; with an inactive partition it does nothing. For the training thread.
 */
public final class ThreadPlacement implements AutoCloseable {

  private static final Path TASKS = Path.of("/proc/self/task");

  /** Looking for threads takes about half a millisecond; loaders start some in the first step. */
  private static final int FIRST_STEPS = 3;

  private static final int SEARCH_EVERY = 20;

  /** How long cores stay where they are. */
  private static final long BALANCE_NANOS = 1_000_000_000;

  private final CorePartition partition;
  private final BitSet before;
  private final Path training;
  private long steps;
  private long balancedNanos = System.nanoTime();
  private Map<Path, Long> runNanos = Map.of();

  /** Places the threads that there are; the calling thread is the training thread. */
  public ThreadPlacement(CorePartition partition) {
    this.partition = partition;
    this.before = partition.active() ? affinity().current() : new BitSet();
    this.training = partition.active() ? callingThread() : TASKS;
    if (partition.active()) {
      place();
    }
  }

  private static Affinity affinity() {
    return Affinity.capability().value().orElseThrow();
  }

  private static Path callingThread() {
    try {
      return TASKS.resolve(Path.of("/proc/thread-self").toRealPath().getFileName());
    } catch (IOException e) {
      throw new IllegalStateException("Linux has /proc/thread-self", e);
    }
  }

  /** A step has ended: places threads that are new, and moves cores if they are to move. */
  public void endStep() {
    if (!partition.active()) {
      return;
    }
    steps++;
    boolean due = steps <= FIRST_STEPS || steps % SEARCH_EVERY == 0;
    boolean moved = partition.dynamic() && balance();
    if (due || moved) {
      place();
    }
  }

  private void place() {
    threads().forEach((thread, role) -> affinity().pin(number(thread), partition.cores(role)));
  }

  private boolean balance() {
    long now = System.nanoTime();
    if (now - balancedNanos < BALANCE_NANOS) {
      return false;
    }
    Map<Path, Role> threads = threads();
    Map<Path, Long> read = new HashMap<>();
    double input = 0;
    double engine = 0;
    for (Map.Entry<Path, Role> thread : threads.entrySet()) {
      long run = runNanos(thread.getKey());
      read.put(thread.getKey(), run);
      double share =
          (run - runNanos.getOrDefault(thread.getKey(), run)) / (double) (now - balancedNanos);
      input += thread.getValue() == Role.INPUT ? share : 0;
      engine += thread.getKey().equals(training) ? share : 0;
    }
    boolean first = runNanos.isEmpty();
    runNanos = read;
    balancedNanos = now;
    return !first && partition.balance(engine, input);
  }

  private Map<Path, Role> threads() {
    Map<Path, Role> found = new HashMap<>();
    String name = text(training, "comm").orElse("");
    try (DirectoryStream<Path> all = Files.newDirectoryStream(TASKS)) {
      for (Path thread : all) {
        text(thread, "comm")
            .flatMap(own -> Role.of(own, name))
            .ifPresent(role -> found.put(thread, role));
      }
    } catch (IOException e) {
      throw new IllegalStateException("a process can list its own threads", e);
    }
    return found;
  }

  private static long runNanos(Path thread) {
    return text(thread, "schedstat")
        .map(counts -> Long.parseLong(counts.split(" ", -1)[0]))
        .orElse(0L);
  }

  /** Empty if the thread has ended. */
  private static Optional<String> text(Path thread, String file) {
    try {
      return Optional.of(Files.readString(thread.resolve(file)).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static int number(Path thread) {
    return Integer.parseInt(thread.getFileName().toString());
  }

  /** Gives all threads the cores that the training thread had before. */
  @Override
  public void close() {
    if (partition.active()) {
      threads().forEach((thread, role) -> affinity().pin(number(thread), before));
    }
  }
}
