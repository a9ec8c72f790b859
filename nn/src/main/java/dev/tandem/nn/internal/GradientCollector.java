package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Gradients that layers have made on a device and that are still to be copied to their places: many
 * by one operation, and only then the parameters are told of as ready. One thread.
 */
final class GradientCollector {

  /** Bytes of gradients that are worth a copy, and a message to other ranks. */
  private static final long ENOUGH = 4L << 20;

  private record Pair(List<Tensor> to, List<Tensor> from) {}

  private final Map<ScalarType, Pair> waiting = new EnumMap<>(ScalarType.class);
  private final List<Integer> ready = new ArrayList<>();
  private long bytes;

  /** A gradient for this place; kept until it is there. */
  void put(Tensor place, Tensor gradient) {
    Pair pair =
        waiting.computeIfAbsent(
            gradient.type(), _ -> new Pair(new ArrayList<>(), new ArrayList<>()));
    pair.to.add(place);
    pair.from.add(gradient.retain());
  }

  /** All that was put for this parameter so far makes it ready. */
  void ready(int parameter, long parameterBytes) {
    ready.add(parameter);
    bytes += parameterBytes;
  }

  /** Puts everything into place, if it is enough. */
  void flushIfEnough(IntConsumer told) {
    if (bytes >= ENOUGH) {
      flush(told);
    }
  }

  /** Puts everything into place and tells of it. */
  void flush(IntConsumer told) {
    waiting.values().forEach(pair -> Functions.copyAll(pair.to, pair.from));
    forget();
    List<Integer> parameters = List.copyOf(ready);
    ready.clear();
    bytes = 0;
    parameters.forEach(told::accept);
  }

  /** Lets go of what is still kept. */
  void forget() {
    waiting.values().forEach(pair -> pair.from.forEach(Tensor::release));
    waiting.clear();
  }
}
