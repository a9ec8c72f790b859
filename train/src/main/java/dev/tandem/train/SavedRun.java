package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Region;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.RegionRows;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Step;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.Network;
import dev.tandem.parallel.StrategyText;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.posix.DurableFiles;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A trained run: its configuration, and its network with the parameters of one of its checkpoints.
 * Owns the network until closed.
 */
public final class SavedRun implements AutoCloseable {

  /** Which of a run's checkpoints. */
  public enum Which {
    LAST,
    /** The one after the best validation; kept if the configuration asked for it. */
    BEST
  }

  private static final Pattern STEP = Pattern.compile("step-(\\d{1,18})");

  private final TrainingConfig config;
  private final RankNetwork rank;
  private final long step;
  private final Runnable last;

  private SavedRun(TrainingConfig config, RankNetwork rank, long step, Runnable last) {
    this.config = config;
    this.rank = rank;
    this.step = step;
    this.last = last;
  }

  /**
   * Opens a run's folder, or one of the checkpoints in it, in one process.
   *
   * @param which checkpoint of a run's folder
   * @param threads of the engine; 0 for as many as one rank of the run has
   */
  public static SavedRun open(Path path, Which which, int threads) {
    return open(path, which, threads, "");
  }

  /**
   * The same on a device.
   *
   * @param device as {@link Device} has it; empty for a GPU where there is one if the run was
   *     trained on one, else as in training
   */
  public static SavedRun open(Path path, Which which, int threads, String device) {
    Communicator alone = Communicator.alone();
    try {
      SavedRun run = open(path, which, threads, Mesh.DATA, device, alone);
      return new SavedRun(run.config, run.rank, run.step, alone::close);
    } catch (RuntimeException e) {
      alone.close();
      throw e;
    }
  }

  /**
   * Opens a run, or one of its checkpoints, whose network is split over ranks, however it was split
   * in training; all ranks call this together.
   *
   * @param strategy the words of {@code --strategy}, in the place of the run's mesh; empty for the
   *     run's
   * @param device as when one process opens it
   * @param communicator of all ranks; stays open at least as long as the run
   */
  public static SavedRun open(
      Path path,
      Which which,
      int threads,
      String strategy,
      String device,
      Communicator communicator) {
    Path given = path.toAbsolutePath().normalize();
    Matcher checkpoint = STEP.matcher(String.valueOf(given.getFileName()));
    boolean one = checkpoint.matches();
    Path run = folder(path);
    TrainingConfig config = config(path, run, strategy, device);
    Path folder = one ? given.getParent() : config.checkpoint().folder(run);
    CheckpointStore store = new FolderCheckpointStore(folder, DurableFiles.system());
    List<Long> steps = store.steps();
    if (steps.isEmpty()) {
      throw new WorkFailedException("there is no checkpoint in " + folder);
    }
    int here = communicator.topology().localSize(communicator.rank());
    int processors = Runtime.getRuntime().availableProcessors();
    int wanted = threads > 0 ? threads : config.threadsPerRank(here, processors);
    RankNetwork rank =
        RankNetwork.create(
            config,
            communicator,
            () ->
                config.startEngine(wanted, communicator.topology().localRank(communicator.rank())),
            config.networkOptions().withFrozen(List.of()));
    try {
      long step = one ? Long.parseLong(checkpoint.group(1)) : steps.getLast();
      Map<String, String> values = store.restore(step, state(rank.network()));
      if (!one && which == Which.BEST) {
        step = Long.parseLong(values.get("best-step"));
        if (!steps.contains(step)) {
          throw new WorkFailedException(
              "the best validation was after step %d, which was not kept: set checkpoint.best: true"
                  .formatted(step));
        }
        store.restore(step, state(rank.network()));
      }
      rank.network().upload();
      return new SavedRun(config, rank, step, () -> {});
    } catch (RuntimeException e) {
      rank.close();
      throw e;
    }
  }

  /** Refuses a number of ranks over which a run's network cannot be split in this way. */
  public static void check(Path path, String strategy, String device, int ranks) {
    config(path, folder(path), strategy, device).checkRanks(ranks);
  }

  /** The folder of the run, whether it is given or one of its checkpoints. */
  private static Path folder(Path path) {
    Path given = path.toAbsolutePath().normalize();
    boolean one = STEP.matcher(String.valueOf(given.getFileName())).matches();
    return one ? given.getParent().getParent() : given;
  }

  /**
   * The run's configuration with another mesh; the other keys of its strategy stay, as far as the
   * mesh has a use for them. Nothing is divided that only training needs.
   */
  private static TrainingConfig config(Path path, Path run, String strategy, String device) {
    Path file = run.resolve(TrainingConfig.FILE);
    if (!Files.exists(file)) {
      throw new UsageException(
          path + " is neither the folder of a run nor a checkpoint in one: there is no " + file);
    }
    ConfigFile saved = ConfigFile.read(file);
    StrategyText trained = saved.config().strategy().mesh();
    StrategyText wanted = strategy.isEmpty() ? trained : StrategyText.parse(strategy);
    String whole = wanted.toString().replace(StrategyText.SHARDED, Mesh.DATA);
    ConfigFile answering =
        saved
            .with("strategy.mesh", whole, "--strategy")
            .with("strategy.shard", "none", "--strategy");
    if (!wanted.splitsLayers()) { // then no layer has a mode
      answering = answering.with(List.of("strategy.layers={}"));
    }
    if (!wanted.equals(trained)) { // other stages may be more or fewer
      answering = answering.with(List.of("strategy.pipeline.cuts=[auto]"));
    }
    return AnsweringDevice.of(answering, device).config();
  }

  private static SlicedState state(Network network) {
    List<TensorView> tensors = new ArrayList<>(network.parameters());
    tensors.addAll(network.buffers());
    Map<String, Region> slices = new HashMap<>();
    for (TensorView tensor : tensors) {
      Region region = network.part().region(tensor);
      if (!region.isAll()) {
        slices.put(tensor.name(), region);
      }
    }
    return new SlicedState(StateTree.of(tensors, Map.of()), slices);
  }

  /** Compares the network's answers with the targets of a test set; every rank gets the result. */
  public Evaluation evaluate(RecordSource test) {
    boolean elastic = config.determinism().elastic();
    Communicator data = rank.groups().data();
    return new Validation(
            config,
            rank,
            (from, steps) ->
                new Plan(
                    data.rank(),
                    data.size(),
                    elastic ? config.determinism().shards() : data.size(),
                    from,
                    steps))
        .of(rank.network(), test);
  }

  /**
   * The network's answers, before any softmax, the same on every rank.
   *
   * @param inputs whole samples, of which every rank has all
   * @param answers where they go: for each sample as many numbers as the network has classes
   */
  void predict(MemorySegment inputs, int count, MemorySegment answers) {
    Communicator data = rank.groups().data();
    long each = (long) config.network().classes() * Float.BYTES;
    Step all = new Step(Position.START, count);
    long[] lengths = new long[data.size()];
    Arrays.setAll(lengths, i -> all.share(i, data.size()).count() * each);
    Step.Share own = all.share(data.rank(), data.size());
    MemorySegment mine = answers.asSlice(own.from() * each, own.count() * each);
    if (own.count() > 0) {
      predict(inputs, own, mine);
      rank.groups().fromAnsweringStage(mine);
    }
    if (data.size() > 1) {
      try (Arena arena = Arena.ofConfined()) {
        data.allgather(arena.allocate(mine.byteSize(), 64).copyFrom(mine), answers, lengths);
      }
    }
  }

  /** Answers of the samples of this rank's data group, if this rank computes them. */
  private void predict(MemorySegment inputs, Step.Share own, MemorySegment into) {
    InputPart part = rank.input().part();
    RegionRows rows = new RegionRows(part.region());
    long sample = rows.whole() * Float.BYTES;
    long local = rows.local() * Float.BYTES;
    long from = own.from() + part.samples().from(own.count());
    long count = part.samples().count(own.count());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment taken = arena.allocate(count * local, 64);
      for (long i = 0; i < count; i++) {
        rows.copy(
            inputs.asSlice((from + i) * sample, sample),
            taken.asSlice(i * local, local),
            Float.BYTES);
      }
      MemorySegment aligned = arena.allocate(into.byteSize(), 64);
      rank.network().predict(taken, own.count(), aligned);
      rank.stage().ifPresent(stage -> stage.ways().finish());
      into.copyFrom(aligned);
    }
  }

  public TrainingConfig config() {
    return config;
  }

  /** The network with the parameters of the checkpoint: of one of several ranks, its part. */
  public Network network() {
    return rank.network();
  }

  /** The step of the checkpoint. */
  public long step() {
    return step;
  }

  @Override
  public void close() {
    rank.close();
    last.run();
  }
}
