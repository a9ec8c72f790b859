package dev.tandem.bench.oracle;

import dev.tandem.comm.reduce.Reduction;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.oracle.measure.DrawnRecords;
import dev.tandem.train.RunControl;
import dev.tandem.train.Training;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.TrainingListener;
import dev.tandem.train.TrainingResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * One rank of a training run that is measured: the loop of {@code tandem train} on random images in
 * memory. Rank 0 prints the milliseconds of each step without waiting for input, then the most
 * bytes that tensors of a rank had.
 */
public final class OracleRankMain {

  static final String STEPS = "steps ";
  static final String MEMORY = "memory ";
  static final String PARTS = "parts ";

  private OracleRankMain() {}

  /**
   * Trains.
   *
   * @param arguments network, strategy, batch, steps, seconds, folder of the run, and the layers
   *     that begin the stages after the first, with commas between them
   */
  public static void main(String[] arguments) {
    Reduction.prepare();
    NetworkSpec network = OracleCase.spec(arguments[0]);
    int batch = Integer.parseInt(arguments[2]);
    int most = Integer.parseInt(arguments[3]);
    Steps steps = new Steps(most, Double.parseDouble(arguments[4]));
    String yaml =
        """
        network: {model: lenet}
        strategy: {mesh: "%s", pipeline: {cuts: [%s]}}
        batch: {global: %d}
        schedule: {rate: 0.0001}
        checkpoint: {every-steps: 0}
        validation: {every-epochs: 1000000, batch: %d}
        steps: %d
        """
            .formatted(
                arguments[1],
                arguments[6].isEmpty() ? "auto" : arguments[6],
                batch,
                Math.max(1, batch / 8),
                most);
    TrainingResult result =
        Training.of(yaml)
            .network(network)
            .data(
                new DrawnRecords((long) batch * most, network.input(), network.classes()),
                new DrawnRecords(8, network.input(), network.classes()))
            .on(steps)
            .folder(Path.of(arguments[5]))
            .run();
    if (!steps.millis.isEmpty()) {
      System.out.println(
          STEPS
              + steps.millis.stream()
                  .map(each -> String.format(Locale.ROOT, "%.3f", each))
                  .collect(Collectors.joining(" ")));
      System.out.println(PARTS + steps.parts());
      System.out.println(MEMORY + result.details().tensorBytes());
    }
  }

  /** Ends the run after some steps or seconds, whichever comes first. */
  private static final class Steps implements TrainingListener {

    private final List<Double> millis = new ArrayList<>();
    private final double[] sums = new double[4];
    private final int most;
    private final double seconds;
    private long began;

    Steps(int most, double seconds) {
      this.most = most;
      this.seconds = seconds;
    }

    /** Mean milliseconds of the parts of a step: forward, backward, sync and update. */
    String parts() {
      return Arrays.stream(sums)
          .mapToObj(each -> String.format(Locale.ROOT, "%.3f", each / (millis.size() - 1)))
          .collect(Collectors.joining(" "));
    }

    @Override
    public void onStep(TrainingEvent.Step step, RunControl control) {
      millis.add((double) step.ms() - step.read());
      if (millis.size() == 1) {
        began = System.nanoTime();
        return;
      }
      sums[0] += step.forward();
      sums[1] += step.backward();
      sums[2] += step.sync();
      sums[3] += step.update();
      if (millis.size() >= most || (System.nanoTime() - began) / 1e9 > seconds) {
        control.stop("measured");
      }
    }
  }
}
