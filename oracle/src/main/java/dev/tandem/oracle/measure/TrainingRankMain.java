package dev.tandem.oracle.measure;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.train.RunControl;
import dev.tandem.train.Training;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.TrainingListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One rank that trains a network of usual layers: how much longer its passes take than its layers
 * alone says what all else of training costs them.
 */
public final class TrainingRankMain {

  /** Samples of a rank. */
  static final int SAMPLES = 16;

  /** Enough for any machine. */
  private static final int MOST = 100_000;

  /** Steps that do not count, one of so many. */
  private static final int FIRST = 5;

  private TrainingRankMain() {}

  /**
   * Trains.
   *
   * @param arguments ranks, seconds, the folder of the run, and a file for the seconds of a forward
   *     and a backward pass
   */
  public static void main(String[] arguments) {
    Reduction.prepare();
    int batch = SAMPLES * Integer.parseInt(arguments[0]);
    double seconds = Double.parseDouble(arguments[1]);
    NetworkSpec network = TinyNetworks.reference();
    List<Double> passes = new ArrayList<>();
    long began = System.nanoTime();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void onStep(TrainingEvent.Step step, RunControl control) {
            passes.add(((double) step.forward() + step.backward()) / 1e3);
            if ((System.nanoTime() - began) / 1e9 > seconds) {
              control.stop("measured");
            }
          }
        };
    String yaml =
        """
        network: {model: lenet}
        batch: {global: %d}
        schedule: {rate: 0.0001}
        checkpoint: {every-steps: 0}
        validation: {every-epochs: 1000000, batch: %d}
        steps: %d
        """
            .formatted(batch, batch, MOST);
    Training.of(yaml)
        .network(network)
        .data(
            new DrawnRecords((long) batch * MOST, network.input(), network.classes()),
            new DrawnRecords(batch, network.input(), network.classes()))
        .on(listener)
        .folder(Path.of(arguments[2]))
        .run();
    if (!passes.isEmpty()) {
      double[] counted =
          passes.subList(passes.size() / FIRST, passes.size()).stream()
              .mapToDouble(Double::doubleValue)
              .toArray();
      ProfileRequest.write(Path.of(arguments[3]), Runs.of(counted, true).seconds());
    }
  }
}
