package dev.tandem.train;

import dev.tandem.checkpoint.BackgroundCheckpoints;
import dev.tandem.checkpoint.BackgroundCheckpoints.Partner;
import dev.tandem.checkpoint.PartnerMemory;
import dev.tandem.checkpoint.Preemption;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.launch.ChildMain;
import dev.tandem.comm.rendezvous.GenerationLine;
import dev.tandem.core.StoppedException;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.read.LoadRequest;
import dev.tandem.data.source.DataPart;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.weights.TakenWeights;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.DurableFiles;
import dev.tandem.sync.cores.CorePartition;
import dev.tandem.sync.cores.Role;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.train.config.StartWeights;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One rank of a training run: wires the parts and trains. Started once per rank. */
public final class RankMain {

  /** The argument that asks to continue from the newest checkpoint; without one the rank fails. */
  public static final String RESUME = "--resume";

  /** The same, but without a checkpoint the run begins. */
  public static final String RESUME_OR_BEGIN = "--resume=or-begin";

  /** How long a rank that is asked to go (SIGTERM) may take to save; schedulers give 30 s. */
  public static final Duration GRACE = Duration.ofSeconds(25);

  /** How the names of the loader's threads begin. */
  private static final String INPUT_THREADS = "loader-";

  private RankMain() {}

  /**
   * Trains to the end; failures are exceptions.
   *
   * @param arguments the run's folder, in which {@code config.yaml} is, and maybe {@link #RESUME}
   *     or {@link #RESUME_OR_BEGIN}
   */
  public static void main(String[] arguments) {
    List<String> given = List.of(arguments);
    RunStart start =
        given.contains(RESUME)
            ? RunStart.CHECKPOINT
            : given.contains(RESUME_OR_BEGIN)
                ? RunStart.CHECKPOINT_OR_BEGINNING
                : RunStart.BEGINNING;
    if (given.size() != (start == RunStart.BEGINNING ? 1 : 2)) {
      throw new UsageException(
          "a training rank takes the run's folder and " + RESUME + " as arguments, not " + given);
    }
    Path run = Path.of(given.getFirst());
    Training.launched(TrainingConfig.load(run), run).startingWith(start).run();
  }

  /**
   * Trains as a rank of the job that this process is in, or alone: from beginning to end, or in the
   * generations that the launcher leads it through.
   */
  static TrainingResult train(
      TrainingConfig config, RunPlace place, RunStart start, ProgramParts program) {
    AtomicReference<TrainingResult> result = new AtomicReference<>();
    Optional<GenerationLine> launcher = GenerationLine.of(System.getenv());
    try (Preemption preemption = new Preemption(GRACE)) {
      if (launcher.isEmpty()) {
        try (Communicator communicator = Communicator.join()) {
          Path run = place.of(communicator);
          return train(config, communicator, Circumstances.once(run, start, preemption), program);
        }
      }
      try (GenerationLine line = launcher.get();
          PartnerMemory memory = new PartnerMemory()) {
        new Survivor(line, preemption::requested)
            .run(
                (communicator, generation) ->
                    result.set(
                        train(
                            config,
                            communicator,
                            new Circumstances(
                                place.of(communicator),
                                generation > 1 ? RunStart.CHECKPOINT_OR_BEGINNING : start,
                                preemption,
                                Optional.of(new Partner(memory, generation)),
                                Optional.of(line::wanted)),
                            program)));
      }
    }
    return result.get();
  }

  /**
   * What differs between generations of a run.
   *
   * @param partner where a level in memory is, if there may be one
   * @param leave asks to leave this generation for the next one
   */
  private record Circumstances(
      Path run,
      RunStart start,
      Preemption preemption,
      Optional<Partner> partner,
      Optional<BooleanSupplier> leave) {

    boolean resumes() {
      return start != RunStart.BEGINNING;
    }

    static Circumstances once(Path run, RunStart start, Preemption preemption) {
      return new Circumstances(run, start, preemption, Optional.empty(), Optional.empty());
    }
  }

  private static TrainingResult train(
      TrainingConfig config,
      Communicator communicator,
      Circumstances circumstances,
      ProgramParts program) {
    AtomicReference<TrainingResult> result = new AtomicReference<>();
    OutOfMemory.explained(
        config,
        communicator,
        () -> result.set(trained(config, communicator, circumstances, program)));
    return result.get();
  }

  private static TrainingResult trained(
      TrainingConfig given,
      Communicator communicator,
      Circumstances circumstances,
      ProgramParts program) {
    int localRank = communicator.topology().localRank(communicator.rank());
    if (communicator.rank() == 0 && !circumstances.resumes()) {
      System.err.println(given.chooseDevice().line());
    }
    Supplier<Engine> engine = () -> given.startEngine(threads(given, communicator), localRank);
    TrainingConfig config = PipelineCuts.decided(given, communicator, circumstances.run(), engine);
    AtomicReference<TrainingEvent.Result> result = new AtomicReference<>();
    StepMeter meter = new StepMeter(INPUT_THREADS);
    LoadRequest training = config.data().trainingRequest(config.epochs());
    LoadRequest test = config.data().testRequest(config.epochs());
    try (RunLog log = program.log(circumstances.run());
        RecordSource trainingSource =
            program.training(
                () ->
                    open(config.data().part(Split.TRAIN, config.seed()), training, communicator));
        RecordSource testSource =
            program.test(
                () -> open(config.data().part(Split.TEST, config.seed()), test, communicator));
        RankNetwork rank =
            RankNetwork.create(config, communicator, engine, program.options(config));
        Optimizer optimizer = config.optimizer().create(rank.network());
        DistributedStep step =
            StepFactory.create(
                new StepContext(config, rank, optimizer), meter, circumstances.run())) {
      if (communicator.rank() == 0 && !circumstances.resumes()) {
        rank.local().notes().forEach(note -> System.err.println("strategy: " + note));
      }
      orEndAtOnce(
          config,
          communicator,
          () -> {
            try (BackgroundCheckpoints checkpoints =
                checkpoints(config, communicator, circumstances, program.events(log))) {
              Trainer.Parts parts =
                  new Trainer.Parts(
                      communicator,
                      trainingSource,
                      testSource,
                      step,
                      checkpoints,
                      config.batch().sizing());
              result.set(train(config, parts, rank.network(), meter, circumstances, log, program));
            }
          });
    }
    return TrainingResult.of(result.get(), circumstances.run());
  }

  private static RecordSource open(DataPart part, LoadRequest request, Communicator communicator) {
    String what = part.half() == Split.TRAIN ? "training data" : "test data";
    return Sources.open(
        part,
        SourceFormat.of(part.path()),
        request,
        communicator,
        line -> System.err.println(what + ": " + line));
  }

  /**
   * One of several ranks that fails by itself does not close its step: see {@link
   * ChildMain#endAtOnce}.
   */
  private static void orEndAtOnce(TrainingConfig config, Communicator communicator, Runnable work) {
    try {
      OutOfMemory.explained(config, communicator, work);
    } catch (UsageException | WorkFailedException | StoppedException e) {
      if (communicator.size() == 1) {
        throw e;
      }
      ChildMain.endAtOnce(e);
    }
  }

  private static TrainingEvent.Result train(
      TrainingConfig config,
      Trainer.Parts parts,
      Network network,
      StepMeter meter,
      Circumstances circumstances,
      RunLog log,
      ProgramParts program) {
    boolean speaks = parts.communicator().rank() == 0;
    Trainer trainer = new Trainer(config, parts, program.events(log));
    long made = circumstances.resumes() ? trainer.resume() : 0;
    if (circumstances.start() == RunStart.CHECKPOINT && !trainer.restored()) {
      throw new UsageException(
          "there is no checkpoint in %s that can be read; --resume=or-begin starts from the beginning"
              .formatted(config.checkpoint().folder(circumstances.run())));
    }
    if (made == 0 && !config.fineTune().initFrom().isEmpty()) {
      Path file = Path.of(config.fineTune().initFrom());
      TakenWeights taken = StartWeights.read(file).into(network, Weights.Unfit.KEPT);
      if (speaks) {
        System.err.println(taken.summary());
      }
    }
    if (speaks) {
      log.begin(made);
      if (circumstances.resumes()) {
        log.write(new TrainingEvent.Rewind(made));
        System.err.printf(
            "%d ranks continue from step %d, restored from %s%n",
            parts.communicator().size(), made, trainer.restoredFrom());
      }
      circumstances
          .partner()
          .filter(partner -> partner.generation() > 1)
          .ifPresent(
              partner ->
                  log.write(
                      new TrainingEvent.Generation(
                          partner.generation(), parts.communicator().size())));
      trainer.whenPlanned(
          feed ->
              program
                  .events(log)
                  .accept(begins(config, feed, made, parts.communicator(), network)));
    }
    if (circumstances.partner().isEmpty()) {
      trainer.whenLost(state -> saveAlone(state, parts, config, circumstances.run()));
    }
    circumstances.leave().ifPresent(trainer::leaveWhen);
    TrainingEvent.Result result =
        trainer
            .stopWhen(circumstances.preemption()::requested)
            .finishWhen(() -> program.listeners().stopped().isPresent())
            .watchedBy(meter)
            .run();
    program
        .listeners()
        .stopped()
        .ifPresent(
            reason -> log.write(new TrainingEvent.Note("stopped by the program: " + reason)));
    return result;
  }

  private static TrainingEvent begins(
      TrainingConfig config,
      BatchFeed feed,
      long made,
      Communicator communicator,
      Network network) {
    return new TrainingEvent.Begin(
        made,
        feed.stepsAtEnd(),
        feed.samplesAtEnd(),
        config.epochs(),
        communicator.size(),
        config.mesh(communicator.size()).toString(),
        Engine.version(),
        network.device());
  }

  /** What is under way cannot end without the lost rank; it ends first, so that nothing mixes. */
  private static void saveAlone(
      SurvivingState state, Trainer.Parts parts, TrainingConfig config, Path run) {
    try {
      parts.checkpoints().await();
    } catch (TandemException e) {
      // The rank is lost: known already.
    }
    state.save(run, config.checkpoint().folder(run)).ifPresent(System.err::println);
  }

  private static BackgroundCheckpoints checkpoints(
      TrainingConfig config,
      Communicator communicator,
      Circumstances circumstances,
      Consumer<TrainingEvent> events) {
    return new BackgroundCheckpoints(
        communicator,
        circumstances.partner().filter(partner -> config.checkpoint().partner()),
        config.checkpoint().levels(circumstances.run(), config.regression()),
        DurableFiles.system(),
        System.err::println,
        cost -> {
          if (communicator.rank() == 0) {
            events.accept(committed(cost, config.checkpoint().folder(circumstances.run())));
          }
        });
  }

  private static TrainingEvent committed(BackgroundCheckpoints.Cost cost, Path folder) {
    return new TrainingEvent.Checkpoint(
        cost.step(),
        folder.getFileName().toString(),
        "committed",
        cost.bytes(),
        (float) (cost.stallSeconds() * 1e3),
        (float) cost.writeSeconds());
  }

  /** The ranks of a host share its cores; where a rank's are divided, the engine has its part. */
  private static int threads(TrainingConfig config, Communicator communicator) {
    BitSet engine =
        CorePartition.of(
                config.synchronisation().partitioning(),
                communicator.topology(),
                communicator.rank())
            .cores(Role.ENGINE);
    boolean synchronises = config.servers().isEmpty() && !config.determinism().elastic();
    if (synchronises && !engine.isEmpty()) {
      return config.threadsPerRank(1, engine.cardinality());
    }
    int here = communicator.topology().localSize(communicator.rank());
    return config.threadsPerRank(here, Runtime.getRuntime().availableProcessors());
  }
}
