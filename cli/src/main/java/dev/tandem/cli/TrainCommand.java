package dev.tandem.cli;

import static dev.tandem.train.RankMain.RESUME;
import static dev.tandem.train.RankMain.RESUME_OR_BEGIN;

import dev.tandem.board.Report;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.launch.Restarts;
import dev.tandem.comm.launch.SurvivingLauncher.Meanwhile;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.nn.Engine;
import dev.tandem.posix.DurableFiles;
import dev.tandem.train.OutOfMemory;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.DataCheck;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.train.run.RunFolder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Stack;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Trains a network as a configuration says. */
@Command(
    name = "train",
    description = {
      "Trains the network of a configuration in one or more processes, which share the samples of"
          + " each step, or as --strategy says. Everything about the run goes into a folder below"
          + " runs/: the resolved configuration, metrics, TensorBoard events, a report and"
          + " checkpoints."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem init && ./tandem train train.yaml -n 2",
      "  ./tandem train train.yaml -n 2 --set epochs=20 --set batch.global=256",
      "  ./tandem train train.yaml -n 2 --resume           continues from the last checkpoint",
      "  ./tandem train train.yaml -n 4 --max-restarts 10  survives lost processes",
      "  ./tandem train train.yaml -n 4 --strategy data=2,filter=2",
      "  ./tandem train train.yaml -n 2 --strategy auto",
      "  ./tandem train train.yaml --init-from weights.safetensors --freeze conv1,conv2"
    })
final class TrainCommand extends TandemCommand {

  private static final String OR_BEGIN = "or-begin";

  /** Takes a value only if it follows an equals sign: the next word is not one. */
  static final class OptionalValue implements IParameterPreprocessor {

    @Override
    @SuppressWarnings("JdkObsolete") // The interface asks for it.
    public boolean preprocess(
        Stack<String> words, CommandSpec command, ArgSpec option, Map<String, Object> info) {
      if (info.get("separator") == null || info.get("separator").toString().isEmpty()) {
        option.setValue("");
        return true;
      }
      return false;
    }
  }

  @Parameters(paramLabel = "CONFIG", description = "The configuration; ./tandem init writes one.")
  private Path file;

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description =
          "Number of processes. Default: as many as --hosts lists, or as the sizes of the strategy"
              + " make, or 1")
  private Integer ranks;

  @Mixin private HostOptions hosts;

  @Option(
      names = "--name",
      paramLabel = "RUN",
      description = "Name of the run. Default: the name of CONFIG, with a number if it is taken")
  private String name;

  @Option(
      names = "--runs",
      paramLabel = "DIR",
      defaultValue = "runs",
      description = "Folder of all runs. Default: ${DEFAULT-VALUE}")
  private Path runs;

  @Option(
      names = "--resume",
      arity = "0..1",
      paramLabel = "or-begin",
      preprocessor = OptionalValue.class,
      description =
          "Continue from the last checkpoint of the run; without --name, of the newest run of this"
              + " configuration. A run without a checkpoint is refused, or with --resume=or-begin"
              + " begins.")
  private String resume;

  @Option(
      names = "--max-restarts",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Replace lost processes up to N times. The remaining processes continue from the last"
              + " checkpoint: at once with determinism: elastic, otherwise together with the"
              + " replacement. Default: ${DEFAULT-VALUE}")
  private int maxRestarts;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Override a configuration key, such as batch.global=64; may be repeated.")
  private List<String> settings = List.of();

  @Option(
      names = "--init-from",
      paramLabel = "FILE",
      description =
          "Start from the tensors whose names and shapes match the network, of a .safetensors, .npz"
              + " or .onnx file, a run or a checkpoint; prints which were used.")
  private Path initFrom;

  @Option(
      names = "--freeze",
      paramLabel = "LAYERS",
      split = ",",
      description = "Layers to keep fixed: names, prefixes of names, or patterns with *.")
  private List<String> freeze = List.of();

  @Option(
      names = "--read",
      paramLabel = "MODE",
      description =
          "How records of an LMDB database are read: lmdb, lmm, dm, dio, prov, coal, stag or auto;"
              + " dm and dio need data.shuffle none. Default: data.read of the configuration")
  private ReadMode read;

  @Option(
      names = "--strategy",
      paramLabel = "MESH",
      description =
          "How processes share the work: data, spatial, filter, channel, alternate, pipeline,"
              + " sharded, or several, with their numbers: data=2,filter=2, spatial=2x2; one number"
              + " may be left out; auto: the fastest that fits this machine, by profile.json if"
              + " ./tandem profile wrote one here. Default: strategy.mesh of the configuration, or"
              + " data")
  private String strategy;

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      description =
          "What computes: cpu, cuda, where ranks take GPUs in turn, cuda:N, or auto for a GPU where"
              + " there is one. Default: device of the configuration, or auto")
  private String device;

  @Option(
      names = "--show-plan",
      description =
          "Print what each process would compute of every layer, what it sends in a step and the"
              + " memory it needs, without training.")
  private boolean showPlan;

  /** Processes that a strategy was chosen for; 0 if none was. */
  private int chosenRanks;

  @Override
  protected Object run() {
    long began = System.nanoTime();
    TrainingConfig config = config();
    Placement placement = placement(config);
    config.checkRanks(placement.hosts().size());
    if (showPlan) {
      return new PlanText(config, placement.hosts().size()).print(out());
    }
    if (hosts.hosts().isEmpty()) {
      config.chooseDevice(); // A GPU that is not there leaves no run behind.
      OutOfMemory.check(config, placement.hosts().size());
    }
    List<String> remarks = DataCheck.remarks(config);
    RunFolder run = folder();
    EarlierRun earlier = new EarlierRun(config, run);
    if (!resumes()) {
      earlier.refuseCheckpoints();
    }
    try (RunSession session = RunSession.open(run)) {
      if (resumes()) {
        Optional<EarlierRun.Complete> complete = earlier.complete();
        if (complete.isPresent()) {
          out().println(complete.get().text());
          return complete.get();
        }
        if (resume.isEmpty() && !earlier.hasCheckpoint()) {
          throw new UsageException(
              "there is no checkpoint of %s; --resume=%s starts it from the beginning"
                  .formatted(RunFolder.shown(run.path()), OR_BEGIN));
        }
      }
      remarks.forEach(err()::println);
      config.save(run.path());
      session.begin(words(), placement.hosts());
      Engine.unpack(ConsoleProgress.system());
      Curves told = session.train(() -> train(session, placement, config));
      TrainingEvent.Result result = told.result();
      double seconds = (System.nanoTime() - began) / 1e9;
      List<Report.Fact> facts = TrainResults.facts(result, told.loading(), seconds);
      told.stragglers().ifPresent(found -> facts.add(save(found, run)));
      Path report = ReportFile.write(run.path());
      facts.forEach(fact -> out().printf("%20s: %s%n", fact.name(), fact.value()));
      out().printf("%20s: %s%n", "report", report);
      return TrainResults.of(run, result, told.loading(), seconds, report);
    }
  }

  /** Saves the tables beside the other files of the run; the sentence is what is printed. */
  private static Report.Fact save(TrainingEvent.Stragglers report, RunFolder run) {
    byte[] text = report.text().getBytes(StandardCharsets.UTF_8);
    try {
      DurableFiles.system().replace(run.path().resolve("stragglers.txt"), ByteBuffer.wrap(text));
    } catch (TandemException e) {
      System.err.println(e.getMessage());
    }
    return new Report.Fact("stragglers", report.sentence());
  }

  /** Trains to the end, also if processes are lost on the way, and if all are. */
  private Curves train(RunSession run, Placement placement, TrainingConfig config) {
    Restarts restarts = new Restarts(maxRestarts);
    // Only then do the bits not depend on how many they are, and nobody misses a part.
    boolean fewer = config.determinism().elastic() && config.strategy().dataParallel();
    Meanwhile meanwhile = fewer ? Meanwhile.GO_ON : Meanwhile.WAIT;
    String start = resume == null ? "" : resume.isEmpty() ? RESUME : RESUME_OR_BEGIN;
    while (true) {
      try {
        TrainingJob job =
            new TrainingJob(run, placement, restarts, meanwhile, ConsoleProgress.system());
        return start.isEmpty() ? job.run() : job.run(start);
      } catch (PeerLostException e) {
        if (!restarts.take()) {
          throw e;
        }
        run.note(
            "%s; restart %s: all processes restart from the last checkpoint"
                .formatted(e.getMessage(), restarts));
        start = RESUME_OR_BEGIN;
      }
    }
  }

  private TrainingConfig config() {
    ConfigFile config = ConfigFile.read(file).with(settings);
    if (initFrom != null) {
      config = config.with("fine-tune.init-from", initFrom.toString(), "--init-from");
    }
    if (read != null) {
      config = config.with("data.read", read.code(), "--read");
    }
    if (strategy != null) {
      config = config.with("strategy.mesh", strategy, "--strategy");
    }
    if (device != null) {
      config = config.with("device", device, "--device");
    }
    if (!freeze.isEmpty()) {
      config = config.with(List.of("fine-tune.freeze=[" + String.join(", ", quoted()) + "]"));
    }
    config = withStrategyChosen(config);
    return showPlan ? config.withoutData() : config.checked();
  }

  /** A run that goes on keeps the strategy that was chosen for it. */
  private ConfigFile withStrategyChosen(ConfigFile config) {
    if (!config.choosesStrategy()) {
      return config;
    }
    if (resumes()) {
      return config.withStrategyOf(ConfigFile.read(folder().path().resolve(TrainingConfig.FILE)));
    }
    if (hosts.hosts().isPresent()) {
      throw new UsageException(
          "strategy auto plans for this machine alone: with --hosts name a strategy, which"
              + " ./tandem plan CONFIG --cluster FILE finds");
    }
    chosenRanks = ranks != null ? ranks : Runtime.getRuntime().availableProcessors();
    return AutomaticStrategy.choose(config, chosenRanks, out());
  }

  private List<String> quoted() {
    List<String> quoted = new ArrayList<>();
    freeze.forEach(layer -> quoted.add("'" + layer.strip().replace("'", "''") + "'"));
    return quoted;
  }

  private Placement placement(TrainingConfig config) {
    int least = Math.max(chosenRanks, config.strategy().mesh().leastRanks());
    int size = ranks != null ? ranks : hosts.hosts().map(List::size).orElse(least);
    if (size < 1) {
      throw new UsageException("-n must be at least 1, not " + size);
    }
    if (maxRestarts < 0) {
      throw new UsageException("--max-restarts must be at least 0, not " + maxRestarts);
    }
    return hosts.placement(size, "-n");
  }

  private RunFolder folder() {
    String base = file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
    if (resumes()) {
      return name == null
          ? RunFolder.newest(runs, base)
          : RunFolder.existing(RunFolder.named(runs, name));
    }
    return name == null
        ? RunFolder.numbered(runs, base)
        : RunFolder.fresh(RunFolder.named(runs, name));
  }

  private boolean resumes() {
    if (resume != null && !resume.isEmpty() && !resume.equals(OR_BEGIN)) {
      throw new UsageException(
          "--resume=%s: expected --resume or --resume=%s".formatted(resume, OR_BEGIN));
    }
    return resume != null;
  }
}
