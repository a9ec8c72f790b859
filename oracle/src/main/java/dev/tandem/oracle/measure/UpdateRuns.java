package dev.tandem.oracle.measure;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Adam;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Gradients;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.oracle.profile.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Measures what is done to parameters after the passes of a step, on all ranks at the same time:
 * the norm of the gradients and the change, of a network with large tensors and one with many.
 */
final class UpdateRuns {

  private static final int RUNS = 9;
  private static final int WARM_UP = 3;

  /** Larger than caches: 64 MiB of parameters. */
  private static final NetworkSpec LARGE = layers(4, 2048);

  private static final NetworkSpec MANY = layers(64, 16);

  private final Communicator all;
  private final Engine engine;
  private final boolean shared;

  /**
   * Measurements of all ranks.
   *
   * @param shared whether ranks take turns on cores
   */
  UpdateRuns(Communicator all, Engine engine, boolean shared) {
    this.all = all;
    this.engine = engine;
    this.shared = shared;
  }

  private static NetworkSpec layers(int count, int features) {
    List<LayerSpec> layers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      layers.add(new FullyConnected("layer" + i, features, true));
    }
    return NetworkSpec.of(Shape.of(features), layers.toArray(LayerSpec[]::new));
  }

  /** One row for each kind of optimizer. */
  List<Profile.Update> run() {
    return List.of(
        row(
            1,
            network ->
                new SgdMomentum(
                    network, new SgdMomentum.Settings(0.9, 1e-4, false, Double.POSITIVE_INFINITY))),
        row(2, network -> new Adam(network, new Adam.Settings(0.9, 0.999, 1e-8, 0, false))));
  }

  private Profile.Update row(int stateValues, Function<Network, Optimizer> optimizer) {
    double large = seconds(LARGE, optimizer);
    double many = seconds(MANY, optimizer);
    // Two equations: seconds = bytes * perByte + tensors * perTensor.
    double largeBytes = LARGE.parameterCount() * (double) Float.BYTES;
    double manyBytes = MANY.parameterCount() * (double) Float.BYTES;
    double largeTensors = LARGE.parameters().size();
    double manyTensors = MANY.parameters().size();
    double determinant = largeBytes * manyTensors - manyBytes * largeTensors;
    double perByte = (large * manyTensors - many * largeTensors) / determinant;
    double perTensor = (many * largeBytes - large * manyBytes) / determinant;
    return new Profile.Update(stateValues, Math.max(0, perByte), Math.max(0, perTensor));
  }

  private double seconds(NetworkSpec spec, Function<Network, Optimizer> made) {
    double[] runs = new double[RUNS];
    try (Network network = Network.create(engine, spec, new Seed(0));
        Optimizer optimizer = made.apply(network)) {
      for (int run = -WARM_UP; run < RUNS; run++) {
        all.barrier();
        long began = System.nanoTime();
        double _ = Gradients.norm(network);
        optimizer.step(1e-3);
        network.awaitDevice();
        if (run >= 0) {
          runs[run] = (System.nanoTime() - began) / 1e9;
        }
      }
    }
    return Runs.of(runs, shared).seconds();
  }
}
