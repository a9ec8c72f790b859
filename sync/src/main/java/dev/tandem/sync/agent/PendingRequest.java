package dev.tandem.sync.agent;

import dev.tandem.core.TensorView;
import dev.tandem.sync.request.Request;
import dev.tandem.sync.request.Signature;

/**
 * A request on its way.
 *
 * @param step in which step of this rank it was made
 * @param level more than that of all requests whose result the program had seen when it made this
 * @param madeNanos when, by {@link System#nanoTime}
 */
record PendingRequest(Request request, long step, int level, long madeNanos) {

  String name() {
    return request.name();
  }

  TensorView tensor() {
    return request.tensor();
  }

  Signature signature() {
    return request.signature();
  }
}
