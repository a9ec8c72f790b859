package dev.tandem.bench.sync;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One turn's figures.
 *
 * @param figures all of them
 * @param digest of the parameters afterwards; 0 if ranks have different ones
 */
record SyncMeasurement(Map<SyncFigure, Double> figures, long digest) {

  SyncMeasurement {
    figures = new EnumMap<>(figures);
  }

  double figure(SyncFigure figure) {
    return figures.get(figure);
  }

  /** The means of all ranks, which all call this. */
  static Map<SyncFigure, Double> average(Communicator ranks, Map<SyncFigure, Double> mine) {
    SyncFigure[] all = SyncFigure.values();
    double[] values = Arrays.stream(all).mapToDouble(mine::get).toArray();
    ranks.allreduce(MemorySegment.ofArray(values), DType.FLOAT64, ReduceOp.AVERAGE);
    Map<SyncFigure, Double> means = new EnumMap<>(SyncFigure.class);
    for (int i = 0; i < all.length; i++) {
      means.put(all[i], values[i]);
    }
    return means;
  }

  /** The digest, and the figures in their order. */
  String line() {
    return Arrays.stream(SyncFigure.values())
        .map(figure -> String.format(Locale.ROOT, "%.6f", figure(figure)))
        .collect(Collectors.joining(" ", digest + " ", ""));
  }

  static SyncMeasurement of(String[] words, int from) {
    Map<SyncFigure, Double> figures = new EnumMap<>(SyncFigure.class);
    int at = from;
    for (SyncFigure figure : SyncFigure.values()) {
      figures.put(figure, Double.valueOf(words[++at]));
    }
    return new SyncMeasurement(figures, Long.parseLong(words[from]));
  }
}
