package dev.tandem.cli;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.core.ExitCode;
import dev.tandem.core.StoppedException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.tune.StudyEnd;
import dev.tandem.tune.StudyLoop;
import dev.tandem.tune.StudySession;
import dev.tandem.tune.config.ReadyStudy;
import dev.tandem.tune.config.StudyConfig;
import dev.tandem.tune.config.StudyFile;
import dev.tandem.tune.local.LocalEngine;
import dev.tandem.tune.remote.SparkHome;
import dev.tandem.tune.remote.SparkOptions;
import dev.tandem.tune.task.Node;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.trial.TrialState;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Searches hyperparameters. */
@Command(
    name = "tune",
    description = {
      "Searches the parameters of a program or of a training run: asks a sampler for them, runs"
          + " trials side by side, each on processors of its own, and keeps a journal in runs/,"
          + " from which an interrupted study goes on without losing a finished trial."
    },
    subcommands = {
      TuneShowCommand.class,
      TuneVerifyCommand.class,
      TuneExportCommand.class,
      TuneTasksCommand.class
    },
    synopsisSubcommandLabel = "[COMMAND]",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem tune examples/tune-command.yaml",
      "  ./tandem tune study.yaml --workers 4 --set trials=200",
      "  ./tandem tune study.yaml --resume        goes on, also after a kill",
      "  ./tandem tune show runs/study            the trials of a study",
      "  ./tandem tune tasks examples/tune-tasks.yaml   tasks that depend on each other"
    })
final class TuneCommand extends TandemCommand {

  /** How long the end of a trial may take when the study is interrupted, beyond its grace. */
  private static final long LEAVING_SECONDS = 15;

  private static final Node ANY_NODE =
      new Node("any", Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);

  @Parameters(
      paramLabel = "CONFIG",
      arity = "0..1",
      description = "The configuration of the study; docs/tuning.md shows all keys.")
  private Path file;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Override a configuration key, such as trials=50; may be repeated.")
  private List<String> settings = List.of();

  @Option(
      names = "--name",
      paramLabel = "STUDY",
      description = "Name of the study and its folder. Default: that of the configuration")
  private String name;

  @Option(
      names = "--runs",
      paramLabel = "DIR",
      defaultValue = "runs",
      description = "Folder in which the study's own is. Default: ${DEFAULT-VALUE}")
  private Path runs;

  @Option(names = "--resume", description = "Go on with the study of this name.")
  private boolean resume;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Trials at the same time. Default: as many as there is room for")
  private Integer workers;

  @Option(
      names = "--window",
      paramLabel = "L",
      description =
          "How many trials may run without a suggestion seeing their results; what a study"
              + " suggests depends on it. Default: the workers it was begun with")
  private Integer window;

  @Option(
      names = "--trials",
      paramLabel = "N",
      description = "How many trials. Default: trials of the configuration")
  private Long trials;

  @Option(
      names = "--engine",
      paramLabel = "ENGINE",
      description = "Where trials run: local or spark. Default: engine of the configuration")
  private String engineName;

  @Override
  protected Object run() throws InterruptedException {
    if (file == null) {
      throw new UsageException(
          "expected the configuration of a study, or show, verify, export or tasks; see ./tandem"
              + " tune --help");
    }
    StudyFile config = config();
    // What is wrong whatever the machines are is said before a cluster starts.
    config.ready(List.of(ANY_NODE), runs, Optional.ofNullable(name), program());
    try (TaskEngine engine = engine(config.config().engine(), config.config().spark(), err())) {
      ReadyStudy study = ready(config, engine);
      try (StudySession session = session(study)) {
        if (!resume) {
          save(study.folder(), config);
        }
        return drive(study, session, engine);
      }
    }
  }

  /** What runs the trials. */
  static TaskEngine engine(StudyConfig.Engine which, SparkOptions spark, PrintWriter notes) {
    return switch (which) {
      case LOCAL -> new LocalEngine();
      case SPARK ->
          SparkHome.find(System.getProperty("tandem.home", "")).start(spark, notes::println);
    };
  }

  private StudyFile config() {
    StudyFile config = StudyFile.read(file).with(settings);
    if (engineName != null) {
      config = config.with(List.of("engine=" + engineName));
    }
    if (workers != null) {
      config = config.with("workers", workers, "--workers");
    }
    if (window != null) {
      config = config.with("window", window, "--window");
    }
    return trials == null ? config : config.with("trials", trials, "--trials");
  }

  /** A study that goes on keeps the window it was begun with, whatever the workers are now. */
  private ReadyStudy ready(StudyFile config, TaskEngine engine) {
    ReadyStudy study = config.ready(engine.nodes(), runs, Optional.ofNullable(name), program());
    if (!resume || config.says("window") || !StudySession.exists(study.folder())) {
      return study;
    }
    int begun = StudySession.Reading.of(study.folder()).settings().window();
    return config
        .with("window", begun, "--resume")
        .ready(engine.nodes(), runs, Optional.ofNullable(name), program());
  }

  /** The words that start Tandem as this process was started. */
  static List<String> program() {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(LaunchPlan.of(1, Tandem.class.getName(), List.of()).jvmFlags());
    words.addAll(List.of("-cp", absolute(System.getProperty("java.class.path"))));
    words.add(Tandem.class.getName());
    return words;
  }

  private static String absolute(String classPath) {
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(":", -1)) {
      entries.add(entry.isEmpty() ? entry : Path.of(entry).toAbsolutePath().toString());
    }
    return String.join(":", entries);
  }

  private StudySession session(ReadyStudy study) {
    return resume
        ? StudySession.resume(study.folder(), study.settings(), err()::println)
        : StudySession.begin(study.folder(), study.settings(), err()::println);
  }

  private static void save(Path folder, StudyFile config) {
    DurableFiles.system()
        .replace(
            folder.resolve("study.yaml"),
            ByteBuffer.wrap(config.yaml().getBytes(StandardCharsets.UTF_8)));
  }

  private Object drive(ReadyStudy study, StudySession session, TaskEngine engine)
      throws InterruptedException {
    long began = System.nanoTime();
    TuneProgress progress =
        TuneProgress.system(study.settings().direction(), study.plan().trials());
    StudyLoop loop =
        new StudyLoop(
            study.settings(),
            study.plan(),
            study.sampler(),
            study.pruner(),
            study.work(),
            session.journal(),
            session.state(),
            engine,
            progress);
    CountDownLatch ended = new CountDownLatch(1);
    Thread hook = new Thread(() -> interrupt(loop::interrupt, session, ended), "tandem-tune-ends");
    Runtime.getRuntime().addShutdownHook(hook);
    StudyEnd end;
    try {
      end = loop.run();
    } finally {
      progress.close();
      ended.countDown();
    }
    if (end.interrupted()) {
      throw new StoppedException("stopped as asked; --resume goes on");
    }
    Runtime.getRuntime().removeShutdownHook(hook);
    StudyText text = new StudyText(session.settings(), end.state());
    text.print(out(), study.folder(), end.reason(), (System.nanoTime() - began) / 1e9);
    if (study.trace()) {
      out().printf("%20s: %s%n", "timeline", StudyTrace.write(study.folder()));
    }
    out().printf("%20s: %s%n", "report", ReportFile.ofStudy(study.folder()));
    if (end.state().count(TrialState.COMPLETE) == 0) {
      save(text.results(study.folder(), end.reason()));
      throw new WorkFailedException("no trial completed" + text.lastReason());
    }
    return text.results(study.folder(), end.reason());
  }

  /** Ctrl-C and SIGTERM: trials are ended, the journal is whole, and the exit code says so. */
  static void interrupt(Runnable cancel, StudySession session, CountDownLatch ended) {
    cancel.run();
    try {
      if (ended.await(LEAVING_SECONDS, TimeUnit.SECONDS)) {
        session.close();
        System.err.println("tandem: stopped as asked; --resume goes on");
        Runtime.getRuntime().halt(ExitCode.STOPPED_AS_ASKED.code());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
