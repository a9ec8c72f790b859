package dev.tandem.comm;

import dev.tandem.comm.collective.AlgorithmTable;
import dev.tandem.comm.collective.AllreduceAlgorithm;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.collective.Medium;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the algorithms of allreduce that apply to a communicator and makes a table of the
 * fastest. All ranks call it together and get the same table: a measurement counts as what the
 * slowest rank saw.
 *
 * <p>The rows are for teams of up to as many ranks as the communicator has, over the same medium;
 * for others the table leaves the choice to the built-in one.
 *
 * @param largest the largest message measured, from 4 bytes in steps of four
 * @param budget about how long one algorithm at one length may take
 */
public record TableTuner(long largest, Duration budget) {

  /** From 4 bytes to 64 MiB: 14 lengths, about a quarter of a minute for each algorithm. */
  public static final TableTuner DEFAULT = new TableTuner(64 << 20, Duration.ofMillis(300));

  private static final int FEWEST_RUNS = 5;
  private static final int MOST_RUNS = 400;

  /** Whatever takes this much longer than the best at its first run is not measured further. */
  private static final int HOPELESS = 8;

  /** Everybody keeps the data of all for this one: not for long messages. */
  private static final long LONGEST_GATHERED = 1 << 20;

  /** Measures; takes some seconds or minutes. */
  public AlgorithmTable tune(Communicator communicator) {
    if (communicator.size() == 1) {
      throw new UsageException("one rank alone has no algorithms to choose from");
    }
    List<Long> lengths = new ArrayList<>();
    for (long bytes = Float.BYTES; bytes <= largest; bytes *= 4) {
      lengths.add(bytes);
    }
    List<Map<AllreduceAlgorithm, Double>> measured = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment data = arena.allocate(largest, 64);
      for (long bytes : lengths) {
        measured.add(measure(communicator, data.asSlice(0, bytes)));
      }
    }
    List<AlgorithmTable.Row> rows = new ArrayList<>();
    for (Determinism level : Determinism.values()) {
      rows.addAll(rows(communicator, level, lengths, measured));
    }
    return AlgorithmTable.of(rows);
  }

  private Map<AllreduceAlgorithm, Double> measure(Communicator communicator, MemorySegment data) {
    Map<AllreduceAlgorithm, Double> nanos = new EnumMap<>(AllreduceAlgorithm.class);
    double best = Double.MAX_VALUE;
    for (AllreduceAlgorithm algorithm : AllreduceAlgorithm.values()) {
      if (!algorithm.appliesTo(communicator.position())
          || (algorithm == AllreduceAlgorithm.GATHERED && data.byteSize() > LONGEST_GATHERED)) {
        continue;
      }
      double first = slowest(communicator, median(communicator, data, algorithm, 2));
      if (first > HOPELESS * best) {
        continue;
      }
      int runs = (int) Math.clamp(budget.toNanos() / first, FEWEST_RUNS, MOST_RUNS);
      double time = slowest(communicator, median(communicator, data, algorithm, runs));
      best = Math.min(best, time);
      nanos.put(algorithm, time);
    }
    return nanos;
  }

  private static double median(
      Communicator communicator, MemorySegment data, AllreduceAlgorithm algorithm, int runs) {
    long[] times = new long[runs];
    for (int run = 0; run < runs; run++) {
      communicator.barrier();
      long start = System.nanoTime();
      communicator.allreduce(data, DType.FLOAT32, ReduceOp.SUM, algorithm);
      times[run] = System.nanoTime() - start;
    }
    Arrays.sort(times);
    return times[runs / 2];
  }

  /** What the slowest rank measured, so that all decide alike. */
  private static double slowest(Communicator communicator, double nanos) {
    double[] all = {nanos};
    communicator.allreduce(MemorySegment.ofArray(all), DType.FLOAT64, ReduceOp.MAX);
    return Math.max(1, all[0]);
  }

  /** The fastest at each length; where it stays the same, one row for several lengths. */
  private static List<AlgorithmTable.Row> rows(
      Communicator communicator,
      Determinism level,
      List<Long> lengths,
      List<Map<AllreduceAlgorithm, Double>> measured) {
    List<AlgorithmTable.Row> rows = new ArrayList<>();
    for (int i = 0; i < lengths.size(); i++) {
      AllreduceAlgorithm fastest =
          measured.get(i).entrySet().stream()
              .filter(entry -> entry.getKey().keeps(level))
              .min(Map.Entry.comparingByValue())
              .orElseThrow()
              .getKey();
      if (!rows.isEmpty() && rows.getLast().algorithm() == fastest) {
        rows.removeLast();
      }
      // The next length measured is four times as long: half way, counted in factors, is twice.
      long upTo = i == lengths.size() - 1 ? Long.MAX_VALUE : 2 * lengths.get(i);
      rows.add(
          new AlgorithmTable.Row(
              level, Medium.of(communicator.position()), communicator.size(), upTo, fastest));
    }
    return rows;
  }
}
