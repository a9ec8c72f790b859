package dev.tandem.nn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Where batch normalisations of several batches meet: those of one process, and with an
 * implementation that talks to other ranks theirs too. Called twice for each batch normalisation,
 * in the forward and in the backward pass, by the thread that computes; all ranks call for the same
 * layers in the same order.
 */
@FunctionalInterface
public interface StatisticsReducer {

  /** The batches of this process alone, summed from the first to the last. */
  StatisticsReducer LOCAL =
      (layer, parts, total) -> {
        for (MemorySegment part : parts) {
          for (long i = 0; i < total.byteSize() / Double.BYTES; i++) {
            double sum = total.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            total.setAtIndex(
                ValueLayout.JAVA_DOUBLE, i, sum + part.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
          }
        }
      };

  /**
   * Adds the parts of all batches of all ranks.
   *
   * @param parts float64, one segment for each batch of this process, in their order; only read
   * @param total where the sum goes, as long as each part; zeros at first
   */
  void sum(String layer, List<MemorySegment> parts, MemorySegment total);
}
