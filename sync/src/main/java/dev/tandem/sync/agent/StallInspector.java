package dev.tandem.sync.agent;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.Handle;
import dev.tandem.core.WorkFailedException;
import dev.tandem.sync.request.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Finds requests that some ranks wait for and others do not make, whatever the policy. Every rank
 * tells rank 0 from time to time what it waits for and what its program is doing; rank 0 says which
 * ranks are missing. Goes over a group of its own, so that it works while everything else hangs;
 * its thread sleeps nearly always.
 */
public final class StallInspector implements AutoCloseable {

  private final Communicator group;
  private final RequestQueue queue;
  private final Duration after;
  private final Optional<Duration> abort;
  private final Consumer<String> log;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /**
   * Starts an inspector; all ranks do this at the same time.
   *
   * @param group of all ranks, used by nobody else, and closed with the inspector
   * @param after so long a request is not worth a word; also how often ranks report
   * @param abort when rank 0 gives up, if ever
   * @param log takes a line for each stalled tensor, on rank 0
   */
  public StallInspector(
      Communicator group,
      RequestQueue queue,
      Duration after,
      Optional<Duration> abort,
      Consumer<String> log) {
    this.group = group;
    this.queue = queue;
    this.after = after;
    this.abort = abort;
    this.log = log;
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("tandem-stalls-" + group.rank())
            .start(group.rank() == 0 ? this::inspect : this::report);
  }

  /** Other ranks: a report now and then, and a last one. */
  private void report() {
    try {
      while (!closing.await(after.toNanos(), TimeUnit.NANOSECONDS)) {
        send(queue.status(false));
      }
      send(queue.status(true));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e); // Nobody knows the thread.
    } catch (RuntimeException e) {
      // A rank is lost, which is reported elsewhere.
    }
  }

  private void send(StallStatus status) {
    StallMessages.send(group, status);
  }

  /** Rank 0: hears everybody, until all have sent their last report. */
  private void inspect() {
    Map<Integer, StallStatus> known = new LinkedHashMap<>();
    Map<Integer, Pending> waiting = new LinkedHashMap<>();
    try {
      boolean open = true;
      while (open || known.size() < group.size() - 1 || !allGone(known)) {
        open = open && !closing.await(after.toNanos(), TimeUnit.NANOSECONDS);
        for (int rank = 1; rank < group.size(); rank++) {
          if (!known.containsKey(rank) || !known.get(rank).last()) {
            hear(rank, known, waiting, open);
          }
        }
        known.put(0, queue.status(!open));
        if (open) {
          tell(known, waiting);
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e); // Nobody knows the thread.
    } catch (RuntimeException e) {
      // As above.
    }
  }

  /** A report that has not come yet. */
  private record Pending(Handle handle, AtomicReference<StallStatus> into) {}

  private boolean allGone(Map<Integer, StallStatus> known) {
    return known.entrySet().stream()
        .filter(entry -> entry.getKey() > 0)
        .allMatch(entry -> entry.getValue().last());
  }

  private void hear(
      int rank, Map<Integer, StallStatus> known, Map<Integer, Pending> waiting, boolean open)
      throws InterruptedException {
    // Reports are heard in the order of ranks: one that does not come holds up those after it.
    if (waiting.keySet().stream().anyMatch(other -> other != rank)) {
      return;
    }
    Pending pending =
        waiting.computeIfAbsent(
            rank,
            key -> {
              AtomicReference<StallStatus> into = new AtomicReference<>();
              return new Pending(
                  group.start(ranks -> into.set(StallMessages.receive(ranks, key))), into);
            });
    if (pending.handle().await(open ? after.multipliedBy(2) : Duration.ofSeconds(1))) {
      waiting.remove(rank);
      known.put(rank, pending.into().get());
    }
  }

  private void tell(Map<Integer, StallStatus> known, Map<Integer, Pending> silent) {
    Map<String, Double> stalled = new LinkedHashMap<>();
    known
        .values()
        .forEach(
            status ->
                status
                    .pendingSeconds()
                    .forEach((name, seconds) -> stalled.merge(name, seconds, Math::max)));
    stalled.values().removeIf(seconds -> seconds < after.toNanos() / 1e9);
    for (Map.Entry<String, Double> tensor : stalled.entrySet()) {
      List<String> missing = missing(tensor.getKey(), known, silent);
      if (!missing.isEmpty()) {
        String line =
            String.format(
                Locale.ROOT,
                "tensor %s has waited for %.1f s: %s",
                tensor.getKey(),
                tensor.getValue(),
                String.join("; ", missing));
        log.accept(line);
        if (abort.isPresent() && tensor.getValue() > abort.get().toNanos() / 1e9) {
          queue.close(new Outcome.Failed(new WorkFailedException(line)));
        }
      }
    }
  }

  private List<String> missing(
      String name, Map<Integer, StallStatus> known, Map<Integer, Pending> silent) {
    List<String> missing = new ArrayList<>();
    for (int rank = 0; rank < group.size(); rank++) {
      StallStatus status = known.get(rank);
      if (silent.containsKey(rank)) {
        missing.add("rank %d does not answer".formatted(rank));
      } else if (status != null && !status.joined() && !status.pendingSeconds().containsKey(name)) {
        missing.add("rank %d has not asked for it and %s".formatted(rank, status.doing()));
      }
    }
    return missing;
  }

  /** Sends or awaits the last reports; close the synchroniser's agent first. */
  @Override
  public void close() {
    closing.countDown();
    try {
      if (thread.join(Duration.ofSeconds(2))) {
        group.close();
      }
      // Else a rank is stuck; the thread ends with the communicator.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
