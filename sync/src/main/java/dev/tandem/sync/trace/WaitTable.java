package dev.tandem.sync.trace;

import dev.tandem.sync.agent.Transfer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which rank waits for which. A transfer can begin when the last rank has asked for all its
 * tensors; the others wait for that rank from the moment when they have. Times are by one clock, so
 * they are as true as {@link ClockAlignment} is.
 */
final class WaitTable {

  private final List<String> labels;
  private final long[][] readyNanos;

  /**
   * The table of some transfers.
   *
   * @param labels what travelled, one for each transfer
   * @param readyNanos when a rank had asked for everything, by rank and transfer; kept
   */
  WaitTable(List<String> labels, long[][] readyNanos) {
    this.labels = List.copyOf(labels);
    this.readyNanos = readyNanos;
  }

  /**
   * Transfers of the same tensors that made ranks wait.
   *
   * @param last the rank that came last most often
   * @param waitMillis of the rank that came first, on average
   */
  record Slow(String label, int last, double waitMillis) {}

  int ranks() {
    return readyNanos.length;
  }

  int transfers() {
    return labels.size();
  }

  /** The rank that asked last, the lowest if there are several. */
  int last(int transfer) {
    int last = 0;
    for (int rank = 1; rank < ranks(); rank++) {
      last = readyNanos[rank][transfer] > readyNanos[last][transfer] ? rank : last;
    }
    return last;
  }

  long lastNanos(int transfer) {
    return readyNanos[last(transfer)][transfer];
  }

  private long firstNanos(int transfer) {
    long first = Long.MAX_VALUE;
    for (long[] rank : readyNanos) {
      first = Math.min(first, rank[transfer]);
    }
    return first;
  }

  /** How long a rank waits for another in a transfer, on average over all transfers. */
  double waitMillis(int rank, int other) {
    double nanos = 0;
    for (int transfer = 0; transfer < transfers(); transfer++) {
      if (last(transfer) == other) {
        nanos += lastNanos(transfer) - readyNanos[rank][transfer];
      }
    }
    return nanos / 1e6 / Math.max(1, transfers());
  }

  /** How much later than the first one a rank enters a transfer, on average. */
  double latenessMillis(int rank) {
    double nanos = 0;
    for (int transfer = 0; transfer < transfers(); transfer++) {
      nanos += readyNanos[rank][transfer] - firstNanos(transfer);
    }
    return nanos / 1e6 / Math.max(1, transfers());
  }

  /** The share of transfers that a rank enters last. */
  double lastShare(int rank) {
    int times = 0;
    for (int transfer = 0; transfer < transfers(); transfer++) {
      times += last(transfer) == rank ? 1 : 0;
    }
    return (double) times / Math.max(1, transfers());
  }

  /** Those that make ranks wait longest. */
  List<Slow> slowest(int most) {
    Map<String, List<Integer>> byLabel = new LinkedHashMap<>();
    for (int transfer = 0; transfer < transfers(); transfer++) {
      byLabel.computeIfAbsent(labels.get(transfer), key -> new ArrayList<>()).add(transfer);
    }
    return byLabel.entrySet().stream()
        .map(entry -> slow(entry.getKey(), entry.getValue()))
        .sorted(Comparator.comparingDouble(Slow::waitMillis).reversed())
        .limit(most)
        .toList();
  }

  private Slow slow(String label, List<Integer> transfers) {
    int[] times = new int[ranks()];
    double nanos = 0;
    for (int transfer : transfers) {
      times[last(transfer)]++;
      nanos += lastNanos(transfer) - firstNanos(transfer);
    }
    int last = 0;
    for (int rank = 1; rank < times.length; rank++) {
      last = times[rank] > times[last] ? rank : last;
    }
    return new Slow(label, last, nanos / 1e6 / transfers.size());
  }

  /** The mean split of the transfers of this rank, which lie in a window from a number on. */
  SyncSplit split(TransferWindow window, long first, ClockAlignment clock) {
    double[] nanos = new double[SyncSplit.FIGURES];
    for (int i = 0; i < transfers(); i++) {
      Transfer transfer = window.transfer(first + i);
      long last = lastNanos(i) + clock.nanos();
      // Clocks are aligned to some microseconds: a rank cannot begin before the last was there.
      long agreedFrom = Math.min(last, transfer.beginNanos());
      long slept = window.sleptNanos(agreedFrom, transfer.beginNanos());
      nanos[0] += Math.max(0, agreedFrom - transfer.readyNanos());
      nanos[1] += slept;
      nanos[2] += transfer.beginNanos() - Math.max(agreedFrom, transfer.readyNanos()) - slept;
      nanos[3] +=
          transfer.sendNanos()
              - transfer.beginNanos()
              + transfer.endNanos()
              - transfer.arrivedNanos();
      nanos[4] += transfer.arrivedNanos() - transfer.sendNanos();
    }
    for (int figure = 0; figure < nanos.length; figure++) {
      nanos[figure] = Math.max(0, nanos[figure]) / 1e6 / Math.max(1, transfers());
    }
    return SyncSplit.of(nanos, 0);
  }
}
