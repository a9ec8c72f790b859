package dev.tandem.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.board.Report;
import dev.tandem.data.load.StallReport;
import dev.tandem.train.RegressionScores;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.run.RunFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What {@code tandem train} ends with, for {@code --json}. */
record TrainResults(
    String run,
    @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = TrainingEvent.NotANumber.class)
        double accuracy,
    double testLoss,
    @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = TrainingEvent.NotANumber.class)
        double bestAccuracy,
    @JsonInclude(JsonInclude.Include.NON_NULL) RegressionScores regression,
    long bestStep,
    boolean stoppedEarly,
    double imagesPerSecond,
    int ranks,
    boolean replicasIdentical,
    long steps,
    double trainSeconds,
    double readSeconds,
    double computeSeconds,
    double syncSeconds,
    double checkpointSeconds,
    StallReport.Stage bottleneck,
    double totalSeconds,
    String digest,
    String checkpoint,
    String report) {

  static TrainResults of(
      RunFolder run,
      TrainingEvent.Result result,
      TrainingEvent.Loading loading,
      double seconds,
      Path report) {
    return new TrainResults(
        run.path().toString(),
        result.regression() == null ? result.accuracy() : Double.NaN,
        result.testLoss(),
        result.regression() == null ? result.bestAccuracy() : Double.NaN,
        result.regression(),
        result.bestStep(),
        result.stoppedEarly(),
        result.imagesPerSecond(),
        result.ranks(),
        result.replicasIdentical(),
        result.steps(),
        result.trainSeconds(),
        result.readSeconds(),
        result.computeSeconds(),
        result.syncSeconds(),
        result.checkpointSeconds(),
        loading.bottleneck(),
        seconds,
        result.digest(),
        result.checkpoint(),
        report.toString());
  }

  /** What is printed. */
  static List<Report.Fact> facts(
      TrainingEvent.Result result, TrainingEvent.Loading loading, double seconds) {
    List<Report.Fact> facts = new ArrayList<>();
    if (result.regression() != null) {
      facts.add(fact("test MSE", "%.4g", result.regression().mse()));
      facts.add(fact("test MAE", "%.4g", result.regression().mae()));
      facts.add(fact("test R2", "%.4f", result.regression().r2()));
      if (result.bestLoss() < result.testLoss()) {
        facts.add(fact("best loss", "%.4g", result.bestLoss()));
        facts.add(fact("best after", "step %,d", result.bestStep()));
      }
    } else {
      facts.add(fact("test accuracy", "%.2f%%", result.accuracy() * 100));
    }
    if (result.bestAccuracy() > result.accuracy()) {
      facts.add(fact("best accuracy", "%.2f%%", result.bestAccuracy() * 100));
      facts.add(fact("best after", "step %,d", result.bestStep()));
    }
    if (result.stoppedEarly()) {
      facts.add(
          fact("ended early", "after %,d steps: validation no longer improved", result.steps()));
    }
    facts.add(fact("images/s", "%,.0f", result.imagesPerSecond()));
    facts.add(fact("ranks", "%d processes", result.ranks()));
    facts.add(fact("replicas identical", "%s", result.replicasIdentical() ? "yes" : "NO"));
    facts.add(fact("steps", "%,d", result.steps()));
    facts.add(fact("time reading", "%.1f s (rank 0 waited for data)", result.readSeconds()));
    facts.add(fact("time computing", "%.1f s", result.computeSeconds()));
    facts.add(fact("time in sync", "%.1f s", result.syncSeconds()));
    if (result.payloadBytes() < result.gradientBytes()) {
      double ratio = (double) result.gradientBytes() / result.payloadBytes();
      facts.add(fact("gradients", "%.1f times smaller on the wire", ratio));
    }
    facts.add(fact("loading", "%s", loading.stalls().sentence()));
    facts.add(fact("training time", "%.1f s", result.trainSeconds()));
    facts.add(fact("total time", "%.1f s", seconds));
    facts.add(fact("checkpoint", "%s", result.checkpoint()));
    return facts;
  }

  private static Report.Fact fact(String name, String format, Object value) {
    return new Report.Fact(name, String.format(Locale.ROOT, format, value));
  }
}
