package dev.tandem.train.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.augment.AugmentationText;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.load.ArrayPreparation;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.load.RecordPreparation;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.nn.Device;
import dev.tandem.nn.DeviceChoice;
import dev.tandem.nn.Engine;
import dev.tandem.nn.EngineOptions;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.nn.yaml.Default;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Mesh;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Everything that decides a run, checked once and then fixed.
 *
 * @param network layer by layer
 * @param loss by which the network learns; that of the network follows it
 * @param epochs passes over the training set
 * @param mostSteps the run ends after this many steps even if epochs are left; 0 for no limit
 * @param servers parameter servers instead of allreduce, if wanted
 * @param gradients how gradients of ranks are brought together at levels fast and run
 * @param strategy how the ranks share the work of a step
 * @param seed fixes every random choice
 */
public record TrainingConfig(
    @JsonProperty(access = JsonProperty.Access.WRITE_ONLY) NetworkSpec network,
    DataConfig data,
    BatchConfig batch,
    OptimizerConfig optimizer,
    ScheduleConfig schedule,
    @Default("auto") TrainingLoss loss,
    @Default("10") long epochs,
    @JsonProperty("steps") @Default("0") long mostSteps,
    @JsonUnwrapped ComputeConfig compute,
    // Named so that it is not taken for its own first key.
    @JsonProperty("(determinism)") @JsonUnwrapped DeterminismConfig determinism,
    Optional<ServersConfig> servers,
    GuardConfig guard,
    ValidationConfig validation,
    CheckpointConfig checkpoint,
    FineTuneConfig fineTune,
    SynchronisationConfig synchronisation,
    GradientsConfig gradients,
    StrategyConfig strategy,
    @Default("1") long seed) {

  /** The name of the resolved configuration in a run's folder. */
  public static final String FILE = "config.yaml";

  public TrainingConfig {
    Require.atLeast("epochs", 1, epochs);
    Require.atLeast("steps", 0, mostSteps);
    FirstRecord first = FirstRecord.of(data.part(Split.TRAIN, seed), data.locate());
    loss = loss.resolved(network, first);
    network = network.withLoss(loss.kind());
    data = data.resolved(network, first, seed);
    checkSamples(network, data);
    servers.ifPresent(wanted -> wanted.check(determinism, optimizer, batch, gradients));
    ReuseConfig.check(data.reuse().isPresent(), batch, determinism, servers);
    strategy.check(network, determinism, servers, gradients, data.reuse().isPresent());
    checkInput(strategy, data);
    if (determinism.elastic()) {
      checkElastic(batch, data, determinism, gradients);
    }
    LayerNames.matching(network, fineTune.freeze());
    ShareConfig.check(data.share().isPresent(), data, batch, strategy);
    preparation(network, data, "", seed); // checks that they go together
  }

  private static void checkSamples(NetworkSpec network, DataConfig data) {
    boolean images = data.records() == RecordKind.IMAGES;
    if (images && network.input().extents().size() != 3) {
      throw new UsageException(
          "network: its input is %s, but samples are images of channels, height and width"
              .formatted(network.input()));
    }
    boolean classes = network.loss() == LossKind.SOFTMAX_CROSS_ENTROPY;
    if (images && !classes) {
      throw new UsageException(
          "network: its loss is %s, but data sets have a class for each image: use %s"
              .formatted(network.loss().word(), LossKind.SOFTMAX_CROSS_ENTROPY.word()));
    }
    if (classes && !data.classNames().isEmpty() && data.classNames().size() != network.classes()) {
      throw new UsageException(
          "data.class-names are %d, but the network tells %d classes apart"
              .formatted(data.classNames().size(), network.classes()));
    }
  }

  private static void checkInput(StrategyConfig strategy, DataConfig data) {
    if (strategy.input() != StrategyConfig.Input.PARTIAL) {
      return;
    }
    if (data.records() == RecordKind.IMAGES) {
      throw new UsageException(
          "strategy.input: partial reads parts of arrays, but samples are images: use leader or"
              + " every");
    }
    if (data.read() == ReadMode.LMM || data.read() == ReadMode.DM) {
      throw new UsageException(
          "strategy.input: partial does not go with data.read: %s, which reads whole records: use"
                  .formatted(data.read().code())
              + " data.read: prov, or strategy.input: leader");
    }
  }

  private static void checkElastic(
      BatchConfig batch,
      DataConfig data,
      DeterminismConfig determinism,
      GradientsConfig gradients) {
    if (!gradients.rule().plain()) {
      throw new UsageException(
          "gradients.%s, but with determinism: elastic the gradients of shards are summed as they"
                  .formatted(
                      gradients.reduction() == GradientsConfig.Reduction.SUM
                          ? "compression is not none"
                          : "reduction is adasum")
              + " are, along one tree: use determinism: run");
    }
    if (batch.accumulation() > 1) {
      throw new UsageException(
          "batch.accumulation is %d, but with determinism: elastic a rank goes through its shards"
                  .formatted(batch.accumulation())
              + " one by one anyway: raise shards instead");
    }
    if (data.skipBadRecords() > 0) {
      throw new UsageException(
          "data.skip-bad-records is %d, but with determinism: elastic every sample has its place"
                  .formatted(data.skipBadRecords())
              + " in a shard: repair the data, or use determinism: run");
    }
    if (batch.global() < determinism.shards()) {
      throw new UsageException(
          "batch.global is %d, which cannot be cut into %d shards"
              .formatted(batch.global(), determinism.shards()));
    }
  }

  /** Refuses a number of ranks that cannot share the work. */
  public void checkRanks(int ranks) {
    Mesh mesh = mesh(ranks);
    int data = mesh.size(Mesh.DATA);
    if (strategy.mesh().sized() && batch.global() < data) {
      throw new UsageException(
          "batch.global %d is smaller than data=%d: use at most data=%d, or a larger batch.global"
              .formatted(batch.global(), data, batch.global()));
    }
    if (strategy.mesh().pipelined()) {
      strategy.checkStages(network, mesh.size(Mesh.PIPELINE));
      if (batch.accumulation() > 1) {
        throw new UsageException(
            "batch.accumulation is %d, but a pipeline cuts a step into pieces by itself: set"
                    .formatted(batch.accumulation())
                + " strategy.pipeline.micro-batches instead");
      }
    }
    if (determinism.elastic() && data > determinism.shards()) {
      throw new UsageException(
          "%d ranks cannot share %d shards: raise shards, or use determinism: run"
              .formatted(data, determinism.shards()));
    }
    var _ = plan(mesh, 0); // checks
  }

  /**
   * What a rank computes of the network along the inner axes of a mesh; stages of a pipeline are
   * cut out of it.
   *
   * @param transfers moves memory along inner axes
   * @throws UsageException if a layer cannot do what the strategy demands of it
   */
  public LocalNetwork plan(Mesh mesh, int rank, Function<Set<String>, Transfer> transfers) {
    if (mesh.inner().isEmpty()) {
      return LocalNetwork.undivided(network);
    }
    int samples = Math.ceilDiv(batch.global(), mesh.size(Mesh.DATA));
    return Planner.plan(network, mesh, strategy.layers(samples), rank, transfers);
  }

  /** The same, which is only looked at. */
  public LocalNetwork plan(Mesh mesh, int rank) {
    return plan(
        mesh,
        rank,
        axes -> {
          List<Integer> group = mesh.group(rank, axes);
          return new NoTransfer(group.size(), group.indexOf(rank));
        });
  }

  /**
   * The same with a pipeline whose stages begin at these layers.
   *
   * @param cuts names of layers that begin all stages but the first
   */
  public TrainingConfig withCuts(List<String> cuts) {
    return new TrainingConfig(
        network,
        data,
        batch,
        optimizer,
        schedule,
        loss,
        epochs,
        mostSteps,
        compute,
        determinism,
        servers,
        guard,
        validation,
        checkpoint,
        fineTune,
        synchronisation,
        gradients,
        strategy.withCuts(cuts),
        seed);
  }

  /** The ranks of the strategy in a grid; refuses a number of ranks that does not fit. */
  public Mesh mesh(int ranks) {
    return strategy.mesh(ranks, network);
  }

  /** The configuration in a file, with defaults filled in. */
  public static TrainingConfig read(Path file) {
    return ConfigFile.read(file).config();
  }

  /** Reads what {@link #save} wrote into a run's folder. */
  public static TrainingConfig load(Path run) {
    return read(run.resolve(FILE));
  }

  /** Writes {@code config.yaml} into the run's folder, the network layer by layer. */
  public void save(Path run) {
    ConfigFile.write(this, run.resolve(FILE));
  }

  /** All of it as YAML, as {@link #save} writes it. */
  public String yaml() {
    return ConfigFile.text(this);
  }

  /** What fixes the order of samples and augmentation. */
  public long dataSeed() {
    return data.seed().orElse(seed);
  }

  /** All that decides what training samples are, besides their order, in words. */
  public String trainingSamples() {
    DataConfig given = data;
    return "train %s, split %s, records %s, augment %s, normalise %s, targets %s, loss %s, input %s, classes %s, seed %d"
        .formatted(
            given.train(),
            given.split(),
            given.records(),
            given.augment(),
            given.normalise(),
            given.normaliseTargets(),
            network.loss(),
            network.input(),
            network.classes(),
            dataSeed());
  }

  /** What becomes of training records. */
  public RecordPreparation trainingPreparation() {
    return preparation(network, data, data.augment(), dataSeed());
  }

  /** What becomes of test records. */
  public RecordPreparation testPreparation() {
    return preparation(network, data, data.testAugment(), dataSeed());
  }

  private static RecordPreparation preparation(
      NetworkSpec network, DataConfig data, String augment, long seed) {
    return data.records() == RecordKind.ARRAYS
        ? arrays(network, data)
        : images(network, data, augment, seed);
  }

  private static ArrayPreparation arrays(NetworkSpec network, DataConfig data) {
    boolean values = network.loss() == LossKind.MEAN_SQUARED_ERROR;
    return new ArrayPreparation(
        network.input().extents().stream().map(Math::toIntExact).toList(),
        values ? 0 : network.classes(),
        values ? network.classes() : 0,
        data.normalisation(),
        data.targetNormalisation());
  }

  /** What becomes of test images; only for data sets of images. */
  public Preparation testImages() {
    return images(network, data, data.testAugment(), dataSeed());
  }

  private static Preparation images(
      NetworkSpec network, DataConfig data, String augment, long seed) {
    ImageFormat format = format(network);
    return new Preparation(
        new DatumDecoder(format.channels()),
        AugmentationText.parse(augment),
        data.normalisation(),
        format,
        new Seed(seed).derive("augmentation"));
  }

  /** Whether targets are values instead of labels: then there are errors, and no accuracy. */
  public boolean regression() {
    return network.loss() == LossKind.MEAN_SQUARED_ERROR;
  }

  /** What all images must have in common to go into this network. */
  static ImageFormat format(NetworkSpec network) {
    long[] extents = network.input().toArray();
    return new ImageFormat(
        Math.toIntExact(extents[0]),
        Math.toIntExact(extents[1]),
        Math.toIntExact(extents[2]),
        network.classes(),
        0,
        1);
  }

  /** Chooses what this process computes on, before the engine is used. */
  public DeviceChoice chooseDevice() {
    return compute.choose(processorOnly());
  }

  /** The engine that is asked for, with this number of threads. */
  public Engine startEngine(int threads, int localRank) {
    Device device = chooseDevice().device();
    return Engine.start(
        new EngineOptions(
            device,
            threads,
            localRank,
            compute.precision() == ComputeConfig.Precision.TF32,
            determinism.level() != DeterminismConfig.Level.FAST,
            compute.graph() == ComputeConfig.Graph.AUTO));
  }

  /** Why a GPU cannot do this, if it cannot. */
  private Optional<String> processorOnly() {
    String reason = null;
    if (servers.isPresent()) {
      reason = "parameter servers update parameters in memory of the host";
    } else if (strategy.sharded()) {
      reason = "strategy.shard keeps parameters in memory of the host";
    } else if (strategy.mesh().pipelined()) {
      reason = "pipelines send activations from memory of the host";
    } else if (!gradients.rule().plain()) {
      reason = "gradients.reduction and gradients.compression combine gradients on the host";
    }
    return Optional.ofNullable(reason).map(why -> why + ": set device: cpu");
  }

  /** How the network computes. */
  public NetworkOptions networkOptions() {
    return NetworkOptions.DEFAULT
        .withPrecision(
            switch (compute.precision()) {
              case FLOAT32, TF32 -> NetworkOptions.Precision.FULL;
              case BFLOAT16 -> NetworkOptions.Precision.MIXED;
            })
        .withFrozen(fineTune.freeze());
  }

  /** Threads of the engine in each of the ranks on a machine with this many processors. */
  public int threadsPerRank(int ranksHere, int processors) {
    if (compute.threads() > 0) {
      return compute.threads();
    }
    // Another number of threads gives other bits.
    return determinism.elastic() ? 1 : Math.max(1, processors / ranksHere);
  }
}
