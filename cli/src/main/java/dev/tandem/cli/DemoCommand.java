package dev.tandem.cli;

import dev.tandem.board.Report;
import dev.tandem.comm.launch.Placement;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.data.load.StallReport;
import dev.tandem.nn.Engine;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.WarmupCosine;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.train.run.RunFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The main job in miniature: make data, train in two processes, report. */
@Command(
    name = "demo",
    description = {
      "Shows the whole workflow on this machine: draws digits into an LMDB database, trains a small"
          + " network on them in several processes, data-parallel, and reports."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem demo                  results in runs/demo",
      "  ./tandem demo --json out.json  results also as JSON",
      "  ./tandem demo --ranks 1        the same training in one process"
    })
final class DemoCommand extends TandemCommand {

  @Option(
      names = "--run",
      paramLabel = "DIR",
      defaultValue = "runs/demo",
      description = "Folder of the run; an older demo in it is replaced. Default: ${DEFAULT-VALUE}")
  private Path folder;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      defaultValue = "2",
      description = "Training processes. Default: ${DEFAULT-VALUE}")
  private int ranks;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of all random choices. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(
      names = "--epochs",
      paramLabel = "N",
      defaultValue = "" + DigitsNetwork.EPOCHS,
      description = "Passes over the training set. Default: ${DEFAULT-VALUE}")
  private int epochs;

  @Option(
      names = "--images",
      paramLabel = "N",
      defaultValue = "20000",
      description = "Training images; a fifth as many test images. Default: ${DEFAULT-VALUE}")
  private int images;

  /** What {@code --json} gets. */
  record Results(
      double accuracy,
      double imagesPerSecond,
      int ranks,
      boolean replicasIdentical,
      double testLoss,
      long steps,
      double trainSeconds,
      double readSeconds,
      double computeSeconds,
      double syncSeconds,
      StallReport.Stage bottleneck,
      StallReport stalls,
      double totalSeconds,
      String digest,
      String checkpoint,
      String report) {}

  @Override
  protected Object run() {
    long began = System.nanoTime();
    requirePositive("--ranks", ranks);
    requirePositive("--epochs", epochs);
    requirePositive("--images", images);
    Progress progress = ConsoleProgress.system();
    // First of all: what cannot compute here says so before images are drawn.
    Engine.unpack(progress);
    Engine.prepare();
    RunFolder run = RunFolder.create(folder);
    try (RunSession session = RunSession.open(run)) {
      TrainingConfig config = config(run);
      config.save(run.path());
      Seed root = new Seed(seed);
      GlyphDatabase.write(
          Path.of(config.data().train()), root.derive("training"), images, progress);
      GlyphDatabase.write(
          Path.of(config.data().test()), root.derive("test"), Math.max(1, images / 5), progress);
      Placement placement = Placement.here(ranks);
      session.begin(words(), placement.hosts());
      TrainingJob job = new TrainingJob(session, placement, progress);
      Curves curves = session.train(job::run);
      TrainingEvent.Result result = curves.result();
      double seconds = (System.nanoTime() - began) / 1e9;
      TrainingEvent.Loading loading = curves.loading();
      List<Report.Fact> facts = facts(result, loading, seconds);
      Path report = ReportFile.write(run.path());
      print(facts, report);
      return results(result, loading, seconds, report);
    }
  }

  private static void requirePositive(String option, int value) {
    if (value < 1) {
      throw new UsageException("%s must be at least 1, not %d".formatted(option, value));
    }
  }

  private TrainingConfig config(RunFolder run) {
    Path data = run.path().resolve("data");
    SgdMomentum.Settings optimizer = DigitsNetwork.optimizer();
    WarmupCosine schedule =
        DigitsNetwork.learningRate(Math.ceilDiv(images, DigitsNetwork.GLOBAL_BATCH));
    return ConfigFile.parse(
            "demo",
            """
            network: {model: digits}
            data:
              normalise: {mean: %s, deviation: %s}
            batch: {global: %d}
            optimizer: {kind: sgd, momentum: %s, weight-decay: %s, nesterov: %s}
            schedule: {kind: cosine, rate: %s, warmup-steps: %d}
            epochs: %d
            guard: {clip: %s}
            seed: %d
            """
                .formatted(
                    DigitsNetwork.PIXEL_MEAN,
                    DigitsNetwork.PIXEL_DEVIATION,
                    DigitsNetwork.GLOBAL_BATCH,
                    optimizer.momentum(),
                    optimizer.weightDecay(),
                    optimizer.nesterov(),
                    schedule.peak(),
                    schedule.warmupSteps(),
                    epochs,
                    optimizer.largestNorm(),
                    seed))
        .with("data.train", data.resolve("train").toString())
        .with("data.test", data.resolve("test").toString())
        .config();
  }

  private static List<Report.Fact> facts(
      TrainingEvent.Result result, TrainingEvent.Loading loading, double seconds) {
    return List.of(
        fact("test accuracy", "%.2f%%", result.accuracy() * 100),
        fact("images/s", "%,.0f", result.imagesPerSecond()),
        fact("ranks", "%d processes", result.ranks()),
        fact("replicas identical", "%s", result.replicasIdentical() ? "yes" : "NO"),
        fact("time reading", "%.1f s (rank 0 waited for data)", result.readSeconds()),
        fact("time computing", "%.1f s", result.computeSeconds()),
        fact("time in sync", "%.1f s", result.syncSeconds()),
        fact("loading", "%s", loading.stalls().sentence()),
        fact("training time", "%.1f s", result.trainSeconds()),
        fact("total time", "%.1f s", seconds),
        fact("checkpoint", "%s", result.checkpoint()));
  }

  private static Report.Fact fact(String name, String format, Object value) {
    return new Report.Fact(name, String.format(Locale.ROOT, format, value));
  }

  private void print(List<Report.Fact> facts, Path report) {
    facts.forEach(fact -> out().printf("%20s: %s%n", fact.name(), fact.value()));
    out().printf("%20s: %s%n", "report", report);
  }

  private static Results results(
      TrainingEvent.Result result, TrainingEvent.Loading loading, double seconds, Path report) {
    return new Results(
        result.accuracy(),
        result.imagesPerSecond(),
        result.ranks(),
        result.replicasIdentical(),
        result.testLoss(),
        result.steps(),
        result.trainSeconds(),
        result.readSeconds(),
        result.computeSeconds(),
        result.syncSeconds(),
        loading.bottleneck(),
        loading.stalls(),
        seconds,
        result.digest(),
        result.checkpoint(),
        report.toString());
  }
}
