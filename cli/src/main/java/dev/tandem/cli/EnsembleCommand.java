package dev.tandem.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.core.StoppedException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.share.ShareStatus;
import dev.tandem.ensemble.EnsembleConfig;
import dev.tandem.ensemble.EnsembleRecord;
import dev.tandem.ensemble.drive.EnsembleOutcome;
import dev.tandem.ensemble.drive.EnsembleRun;
import dev.tandem.nn.Engine;
import dev.tandem.train.run.RunFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Trains the members of an ensemble. */
@Command(
    name = "ensemble",
    description = {
      "Trains several networks on the same data, each sample of which is read, decoded and"
          + " augmented once for all of them. Each member is a run of its own below runs/, which"
          + " runs, eval, predict and export take; eval and predict also take the ensemble."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem ensemble examples/ensemble.yaml",
      "  ./tandem ensemble examples/ensemble.yaml --set pipeline=duplicated",
      "  ./tandem ensemble examples/ensemble.yaml --set train.epochs=10 --set at-once=2",
      "  ./tandem ensemble examples/ensemble.yaml --resume    continues from the last checkpoints"
    })
final class EnsembleCommand extends TandemCommand {

  @Parameters(paramLabel = "CONFIG", description = "The ensemble; see examples/ensemble.yaml.")
  private Path file;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the ensemble. Default: the name of CONFIG, with a number if taken")
  private String name;

  @Option(
      names = "--runs",
      paramLabel = "DIR",
      defaultValue = "runs",
      description = "Folder of all runs. Default: ${DEFAULT-VALUE}")
  private Path runs;

  @Option(
      names = "--resume",
      description =
          "Continue the ensemble, without --name the newest of this configuration: members that are"
              + " done stay, the others go on from their last checkpoints or begin.")
  private boolean resume;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "Override a key of the ensemble, such as pipeline=duplicated, or with train. before it"
              + " one of the training of all members; may be repeated.")
  private List<String> settings = List.of();

  /**
   * What {@code --json} gets.
   *
   * @param cpuSeconds of processors, of all processes
   * @param joules of the processors' packages; null where nothing measures it
   * @param joulesAboveIdle those of them that the machine did not use before; null likewise
   * @param share how shared samples were taken; null if nothing was shared
   */
  record Results(
      String ensemble,
      String pipeline,
      String state,
      List<EnsembleRecord.Member> members,
      int restarts,
      double seconds,
      double cpuSeconds,
      @JsonInclude Double joules,
      @JsonInclude Double joulesAboveIdle,
      ShareStatus share) {}

  @Override
  protected Object run() {
    EnsembleConfig config = EnsembleConfig.read(file, settings);
    try (EnsembleRun ensemble = ensemble(config)) {
      Engine.unpack(ConsoleProgress.system());
      EnsembleOutcome outcome = ensemble.run(ConsoleProgress.system());
      ensemble.runs().forEach(ReportFile::write);
      print(outcome, ensemble.folder());
      Results results =
          new Results(
              ensemble.folder().toString(),
              outcome.record().pipeline(),
              outcome.record().state(),
              outcome.record().members(),
              outcome.restarts(),
              outcome.seconds(),
              outcome.cpuSeconds(),
              outcome.energy().map(EnsembleOutcome.Energy::joules).orElse(null),
              outcome.energy().map(EnsembleOutcome.Energy::aboveIdle).orElse(null),
              outcome.share().orElse(null));
      if (!outcome.errors().isEmpty()) {
        save(results);
        String why = String.join("; ", outcome.errors());
        throw outcome.record().state().equals("stopped")
            ? new StoppedException(why)
            : new WorkFailedException("member " + why);
      }
      return results;
    }
  }

  private EnsembleRun ensemble(EnsembleConfig config) {
    String base = name != null ? name : file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
    if (!resume) {
      return EnsembleRun.begin(
          config, runs, base, name == null, words(), line -> System.err.println(line));
    }
    Path folder = name == null ? RunFolder.newest(runs, base).path() : RunFolder.named(runs, name);
    if (!Files.isDirectory(folder)) {
      throw new UsageException("no ensemble in " + folder + " to continue");
    }
    return EnsembleRun.resume(config, folder, words(), line -> System.err.println(line));
  }

  private void print(EnsembleOutcome outcome, Path folder) {
    int width =
        Math.max(
            6,
            outcome.record().members().stream()
                .mapToInt(each -> each.run().length())
                .max()
                .orElse(0));
    out().printf("%-" + width + "s  %-8s  %9s  %9s%n", "run", "state", "accuracy", "loss");
    for (EnsembleRecord.Member member : outcome.record().members()) {
      out()
          .printf(
              "%-" + width + "s  %-8s  %9s  %9s%n",
              member.run(),
              member.state(),
              member.accuracy() == null
                  ? ""
                  : String.format(Locale.ROOT, "%.2f%%", 100 * member.accuracy()),
              member.testLoss() == null
                  ? ""
                  : String.format(Locale.ROOT, "%.4f", member.testLoss()));
    }
    line("pipeline", outcome.record().pipeline());
    line("total time", String.format(Locale.ROOT, "%.1f s", outcome.seconds()));
    line(
        "processor time",
        String.format(Locale.ROOT, "%.1f s, of all processes", outcome.cpuSeconds()));
    line(
        "energy",
        outcome
            .energy()
            .map(
                used ->
                    String.format(
                        Locale.ROOT,
                        "%,.0f J of the processors' packages, %,.0f J of them above idle",
                        used.joules(),
                        used.aboveIdle()))
            .orElse("not available"));
    outcome.share().ifPresent(this::print);
    line("report", ReportFile.ofEnsemble(folder).toString());
    line("ensemble", RunFolder.shown(folder).toString());
  }

  private void print(ShareStatus share) {
    long delivered = share.consumers().stream().mapToLong(ShareStatus.Taker::delivered).sum();
    long alone = share.consumers().stream().mapToLong(ShareStatus.Taker::alone).sum();
    line(
        "samples",
        String.format(
            Locale.ROOT,
            "%,d prepared once for all, %,d delivered, %,d of them prepared alone",
            share.prepared(),
            delivered,
            alone));
    if (share.prepared() > 0) {
      line(
          "preparation",
          String.format(
              Locale.ROOT,
              "%.2f s of processors per 1,000 samples",
              1000 * share.cpuSeconds() / share.prepared()));
    }
  }

  private void line(String name, String value) {
    out().printf("%20s: %s%n", name, value);
  }
}
