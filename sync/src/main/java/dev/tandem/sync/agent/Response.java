package dev.tandem.sync.agent;

import dev.tandem.sync.plan.RequestGraph.Tensor;

/**
 * What is to be done with a tensor that all ranks have asked for.
 *
 * @param error why nothing can be done, or empty
 */
record Response(Tensor tensor, String error) {

  static Response of(Tensor tensor) {
    return new Response(tensor, "");
  }

  boolean failed() {
    return !error.isEmpty();
  }

  boolean fusesWith(Response other) {
    return !failed() && !other.failed() && tensor.signature().fusesWith(other.tensor.signature());
  }
}
