package dev.tandem.train;

import dev.tandem.checkpoint.BackgroundCheckpoints;
import dev.tandem.checkpoint.BackgroundCheckpoints.Partner;
import dev.tandem.checkpoint.PartnerMemory;
import dev.tandem.checkpoint.Preemption;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.launch.ChildMain;
import dev.tandem.comm.rendezvous.GenerationLine;
import dev.tandem.core.Seed;
import dev.tandem.core.StoppedException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.read.LoadRequest;
import dev.tandem.data.source.DataPart;
import dev.tandem.data.source.Sources;
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

/** One rank of a training run: wires the parts and trains. Started once per rank. */
public final class RankMain {

  /** The argument that asks to continue from the newest checkpoint. */
  public static final String RESUME = "--resume";

  /** How long a rank that is asked to go (SIGTERM) may take to save; schedulers give 30 s. */
  public static final Duration GRACE = Duration.ofSeconds(25);

  /** How the names of the loader's threads begin. */
  private static final String INPUT_THREADS = "loader-";

  private RankMain() {}

  /**
   * Trains to the end; failures are exceptions.
   *
   * @param arguments the run's folder, in which {@code config.yaml} is, and maybe {@link #RESUME}
   */
  public static void main(String[] arguments) {
    List<String> given = List.of(arguments);
    if (given.isEmpty() || given.size() > 2 || (given.size() == 2 && !given.contains(RESUME))) {
      throw new UsageException(
          "a training rank takes the run's folder and " + RESUME + " as arguments, not " + given);
    }
    Path run = Path.of(given.getFirst());
    Training training = Training.launched(TrainingConfig.load(run), run);
    if (given.contains(RESUME)) {
      training.resume();
    }
    training.run();
  }

  /** Trains as a rank of the job that this process is in, or alone. */
  static TrainingResult train(
      TrainingConfig config, RunPlace place, boolean resume, ProgramParts program) {
    AtomicReference<TrainingResult> result = new AtomicReference<>();
    OutOfMemory.explained(config, () -> result.set(trained(config, place, resume, program)));
    return result.get();
  }

  /**
   * As one rank from beginning to end, or in the generations that the launcher leads it through.
   */
  private static TrainingResult trained(
      TrainingConfig config, RunPlace place, boolean resume, ProgramParts program) {
    AtomicReference<TrainingResult> result = new AtomicReference<>();
    Optional<GenerationLine> launcher = GenerationLine.of(System.getenv());
    try (Preemption preemption = new Preemption(GRACE)) {
      if (launcher.isEmpty()) {
        try (Communicator communicator = Communicator.join()) {
          Path run = place.of(communicator);
          return train(config, communicator, Circumstances.once(run, resume, preemption), program);
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
                                resume || generation > 1,
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
   * @param resume continue from the newest checkpoint
   * @param partner where a level in memory is, if there may be one
   * @param leave asks to leave this generation for the next one
   */
  private record Circumstances(
      Path run,
      boolean resume,
      Preemption preemption,
      Optional<Partner> partner,
      Optional<BooleanSupplier> leave) {

    static Circumstances once(Path run, boolean resume, Preemption preemption) {
      return new Circumstances(run, resume, preemption, Optional.empty(), Optional.empty());
    }
  }

  private static TrainingResult train(
      TrainingConfig config,
      Communicator communicator,
      Circumstances circumstances,
      ProgramParts program) {
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
        Network network =
            Network.create(
                config.compute().startEngine(threads(config, communicator)),
                config.network(),
                new Seed(config.seed()).derive("parameters"),
                program.options(config));
        Optimizer optimizer = config.optimizer().create(network);
        DistributedStep step =
            StepFactory.create(
                new StepContext(config, communicator, network, optimizer),
                meter,
                circumstances.run())) {
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
              result.set(train(config, parts, network, meter, circumstances, log, program));
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
      OutOfMemory.explained(config, work);
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
    long made = circumstances.resume() ? trainer.resume() : 0;
    if (made == 0 && !config.fineTune().initFrom().isEmpty()) {
      Path file = Path.of(config.fineTune().initFrom());
      TakenWeights taken = StartWeights.read(file).into(network, Weights.Unfit.KEPT);
      if (speaks) {
        System.err.println(taken.summary());
      }
    }
    if (speaks) {
      log.begin(made);
      if (circumstances.resume()) {
        log.write(new TrainingEvent.Rewind(made));
      }
      if (circumstances.partner().map(Partner::generation).orElse(1) > 1) {
        System.err.printf(
            "%d ranks continue after step %d, restored from %s%n",
            parts.communicator().size(), made, trainer.restoredFrom());
      }
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
