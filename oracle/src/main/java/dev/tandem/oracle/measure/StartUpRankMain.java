package dev.tandem.oracle.measure;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.oracle.profile.Profile.StartUp;
import dev.tandem.train.RunControl;
import dev.tandem.train.Training;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.TrainingListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One rank of a new process that trains a tiny network whose layers compute next to nothing: what
 * its steps take more at first is what it takes until the programs of training are compiled.
 */
public final class StartUpRankMain {

  private static final int SAMPLES = 2;

  /** Steps at which the excess is kept, in factors of this. */
  private static final double FACTOR = 1.5;

  /** The share of the steps at the end that are taken for the usual ones. */
  private static final int USUAL = 4;

  private StartUpRankMain() {}

  /**
   * Trains.
   *
   * @param arguments ranks, steps, the folder of the run, and a file for the result
   */
  public static void main(String[] arguments) {
    Reduction.prepare();
    int batch = SAMPLES * Integer.parseInt(arguments[0]);
    int most = Integer.parseInt(arguments[1]);
    NetworkSpec network = TinyNetworks.images();
    List<Double> millis = new ArrayList<>();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void onStep(TrainingEvent.Step step, RunControl control) {
            millis.add((double) step.ms() - step.read());
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
            .formatted(batch, batch, most);
    Training.of(yaml)
        .network(network)
        .data(
            new DrawnRecords((long) batch * most, network.input(), network.classes()),
            new DrawnRecords(batch, network.input(), network.classes()))
        .on(listener)
        .folder(Path.of(arguments[2]))
        .run();
    if (!millis.isEmpty()) {
      ProfileRequest.write(Path.of(arguments[3]), excess(millis, network.nodes().size()));
    }
  }

  /** What steps after the first took more than the last ones, up to some steps. */
  static List<StartUp> excess(List<Double> millis, int layers) {
    double[] last =
        millis.subList(millis.size() - Math.max(1, millis.size() / USUAL), millis.size()).stream()
            .mapToDouble(Double::doubleValue)
            .toArray();
    Arrays.sort(last);
    double usual = last[last.length / 2];
    List<StartUp> points = new ArrayList<>();
    points.add(new StartUp(layers, 0));
    double sum = 0;
    double next = 2;
    for (int step = 2; step <= millis.size(); step++) {
      sum += millis.get(step - 1) - usual;
      if (step >= next || step == millis.size()) {
        double before = points.getLast().seconds();
        points.add(new StartUp((long) step * layers, Math.max(before, sum / 1e3)));
        next = Math.max(step + 1, next * FACTOR);
      }
    }
    return points;
  }
}
