package dev.tandem.parallel.shard;

import dev.tandem.comm.Handle;
import java.util.function.IntFunction;

/**
 * Whole parameters of layers, fetched before each pass of a layer and, while one layer computes,
 * for the one that computes next. All ranks run the same layers in the same order.
 */
final class ParameterFetches {

  private static final int NONE = -1;

  private final int layers;
  private final IntFunction<Handle> fetch;
  private final Handle[] ahead = new Handle[LayerWindows.COUNT];
  private int last = NONE;
  private int direction;

  /**
   * Nothing is fetched yet.
   *
   * @param layers that have parameters
   * @param fetch starts to fetch the parameters of a layer into its window
   */
  ParameterFetches(int layers, IntFunction<Handle> fetch) {
    this.layers = layers;
    this.fetch = fetch;
  }

  /**
   * Returns when the parameters of a layer are there.
   *
   * @param step to the layer that is likely to be next: 1 or -1
   */
  void require(int layer, int step) {
    // What was fetched ahead is used only right after the layer for which it was: not by another
    // pass, before which parameters may have changed.
    boolean expected = step == direction && layer == last + step;
    Handle begun = ahead[LayerWindows.window(layer)];
    if (expected && begun != null) {
      begun.await();
    } else {
      settle();
      fetch.apply(layer).await();
    }
    ahead[LayerWindows.window(layer)] = null;
    last = layer;
    direction = step;
    int next = layer + step;
    if (next >= 0 && next < layers) {
      ahead[LayerWindows.window(next)] = fetch.apply(next);
    }
  }

  /** Waits for what is on its way. */
  void settle() {
    for (int i = 0; i < ahead.length; i++) {
      if (ahead[i] != null) {
        ahead[i].await();
        ahead[i] = null;
      }
    }
  }
}
