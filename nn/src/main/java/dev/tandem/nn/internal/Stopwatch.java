package dev.tandem.nn.internal;

import dev.tandem.nn.spec.LayerPass;
import java.util.Optional;

/** Measures the passes of one layer after the other, if somebody wants to know. */
public final class Stopwatch {

  /** Told what a pass of a layer took in nanoseconds, alone and with other ranks. */
  public interface Timer {
    void took(String layer, LayerPass pass, long computing, long transferring);
  }

  private final Optional<Timer> timer;
  private final Graph graph;
  private long began;
  private long transferred;

  Stopwatch(Optional<Timer> timer, Graph graph) {
    this.timer = timer;
    this.graph = graph;
  }

  /** A pass begins. */
  void begin() {
    if (timer.isPresent()) {
      graph.awaitDevice();
      transferred = graph.transferTime().nanos();
      began = System.nanoTime();
    }
  }

  /** The pass that has begun is done. */
  void end(int node, LayerPass pass) {
    if (timer.isPresent()) {
      graph.awaitDevice();
      long all = System.nanoTime() - began;
      long transfers = graph.transferTime().nanos() - transferred;
      timer.get().took(graph.name(node), pass, all - transfers, transfers);
    }
  }
}
