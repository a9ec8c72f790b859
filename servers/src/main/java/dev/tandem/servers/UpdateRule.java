package dev.tandem.servers;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * How a server changes its parameters by a gradient. A rule works on any stretch of the flat
 * parameters, whatever tensors it cuts through; so only rules can be given that treat every
 * parameter by itself (no norms of whole tensors, as LARS has). Stateless: what it keeps for each
 * parameter is in the part. Called by one thread at a time for a part, by several for several.
 */
public interface UpdateRule {

  /**
   * A stretch of the flat parameters and what is kept with it; float32, native byte order.
   *
   * @param first the place of its first element among all
   * @param slots as many as {@link #slots()}, each as long as the parameters
   */
  record Part(long first, MemorySegment parameters, List<MemorySegment> slots) {

    long elements() {
      return parameters.byteSize() / Float.BYTES;
    }
  }

  /** How many numbers are kept for each parameter. */
  int slots();

  /**
   * One update.
   *
   * @param gradient as long as the parameters; not changed
   * @param share of a whole step that the gradient is: what a rule does once a step, such as weight
   *     decay, it does in this proportion
   * @param weight by which the gradient is multiplied: 1, or less if it comes late
   */
  void apply(Part part, MemorySegment gradient, double rate, double share, double weight);

  /**
   * The rule to use where gradients are applied one by one and so come late.
   *
   * @param steps by which a gradient is late on average, from 0 to 1
   */
  default UpdateRule whenLate(double steps) {
    return this;
  }
}
