package dev.tandem.cli;

import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Projects how training will go. */
@Command(
    name = "plan",
    description = {
      "Projects how long training will take, before it is run. With --score or --calibrate:"
          + " calibrates on measured iteration times of a campaign and says how well others are"
          + " projected."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem plan --calibrate published         accuracy on published measurements, in folds",
      "  ./tandem plan --calibrate public.csv --score new.csv --json score.json"
    })
final class PlanCommand extends TandemCommand {

  private static final String PUBLISHED = "published";

  @Option(
      names = "--calibrate",
      paramLabel = "CSV",
      description =
          "Calibrate on the measurements in a file, with columns model, dataset, strategy, gpus,"
              + " batch_per_gpu, quantity and value; or 'published' for those of ParaDL's campaign"
              + " on ABCI, which is the default of --score.")
  private String calibrate;

  @Option(
      names = "--score",
      paramLabel = "CSV",
      description =
          "Project the measurements in another file of this format. Default: those of the"
              + " calibration, left out in folds by numbers of devices and by networks")
  private Path score;

  @Override
  protected Object run() {
    if (calibrate == null && score == null) {
      throw new UsageException("name measurements: --calibrate published, or --score FILE.csv");
    }
    return new PublishedScores(out())
        .run(
            Optional.ofNullable(calibrate).filter(file -> !file.equals(PUBLISHED)).map(Path::of),
            Optional.ofNullable(score));
  }
}
