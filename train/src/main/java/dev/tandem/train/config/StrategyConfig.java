package dev.tandem.train.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.yaml.Default;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.StrategyText;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.stage.StageCuts;
import dev.tandem.parallel.strategy.SpaceOptions;
import dev.tandem.parallel.strategy.Strategy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How ranks share the work of a step: by samples, by parts of each layer, by layers, or by several
 * of these.
 *
 * @param mesh ranks along each way to split, as {@link StrategyText} reads it
 * @param layers layers that work in another mode than the words of the mesh give them: names or
 *     patterns, as {@link dev.tandem.nn.spec.LayerNames} reads them, to modes; the first that fits
 *     decides
 * @param gather where the parts of a tensor come together
 * @param spatial what is particular to splits in space
 * @param pipeline what is particular to pipelines
 * @param shard what ranks that differ in samples alone hold a part of each instead of a copy
 * @param gradients how gradients are summed where ranks differ in samples and in space
 * @param input which ranks read samples
 */
public record StrategyConfig(
    @Default("data") StrategyText mesh,
    @Default("{}") Map<String, String> layers,
    @Default("lazy") Gather gather,
    Spatial spatial,
    Pipeline pipeline,
    @Default("none") Shard shard,
    @Default("flat") GradientSums gradients,
    @Default("leader") Input input) {

  /** Where the parts of a tensor come together. */
  public enum Gather {
    /** Before the first layer that needs all of it. */
    LAZY,
    /** Right after the layer that made them. */
    EAGER
  }

  /** What ranks that differ in samples alone hold a part of each. */
  public enum Shard {
    NONE,
    OPTIMIZER,
    /** And of the optimizer's state. */
    GRADIENTS,
    /** And of gradients and the optimizer's state. */
    PARAMETERS;

    /** As it is written. */
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** What ranks keep rows of, if anything. */
    public Optional<ShardStage> stage() {
      return switch (this) {
        case NONE -> Optional.empty();
        case OPTIMIZER -> Optional.of(ShardStage.OPTIMIZER);
        case GRADIENTS -> Optional.of(ShardStage.GRADIENTS);
        case PARAMETERS -> Optional.of(ShardStage.PARAMETERS);
      };
    }
  }

  /** How gradients are summed over samples and space. */
  public enum GradientSums {
    /** Over all these ranks at once. */
    FLAT,
    /** Within each group of neighbours first, then by one rank of each, and back. */
    LEADER
  }

  /** Which ranks read the samples of a group of ranks that work on the same ones. */
  public enum Input {
    /** One, which hands them on. */
    LEADER,
    /** Each reads all of them. */
    EVERY,
    /** Each reads its part of each sample. */
    PARTIAL
  }

  /**
   * A split in space.
   *
   * @param aggregate after which layer the parts come together; {@code auto} for as late as
   *     possible
   * @param aggregateTo what the layers after it compute
   * @param memoryMegabytes if more than 0, they come together as soon as no rank needs more than
   *     this
   */
  public record Spatial(
      @Default("auto") String aggregate,
      @Default("replicas") AggregateTo aggregateTo,
      @Default("0") long memoryMegabytes) {

    static final Spatial USUAL = new Spatial("auto", AggregateTo.REPLICAS, 0);

    /** What the layers compute after the parts have come together. */
    public enum AggregateTo {
      /** Every rank the same. */
      REPLICAS,
      /** Every rank some of the samples. */
      SAMPLES
    }

    public Spatial {
      Require.atLeast("memory-megabytes", 0, memoryMegabytes);
    }

    /** Whether the point is found by looking at the network. */
    public boolean automatic() {
      return aggregate.equals("auto");
    }
  }

  /**
   * A pipeline.
   *
   * @param microBatches pieces into which a step's samples are cut
   * @param cuts layers that begin the stages after the first; {@code auto} for stages that take
   *     about the same time
   * @param recompute whether activations are computed again instead of kept
   */
  public record Pipeline(
      @Default("1f1b") Order schedule,
      @Default("8") int microBatches,
      @Default("[auto]") List<String> cuts,
      @Default("false") boolean recompute) {

    static final Pipeline USUAL =
        new Pipeline(Order.ONE_FORWARD_ONE_BACKWARD, 8, List.of("auto"), false);

    /** In which order pieces go forward and backward. */
    public enum Order {
      ONE_FORWARD_ONE_BACKWARD("1f1b"),
      GPIPE("gpipe"),
      SEQUENTIAL("sequential");

      private final String word;

      Order(String word) {
        this.word = word;
      }

      /** As it is written. */
      public String word() {
        return word;
      }

      static Order parse(String text) {
        List<String> words = List.of("1f1b", "gpipe", "sequential");
        for (Order order : values()) {
          if (order.word.equals(text)) {
            return order;
          }
        }
        throw new UsageException(
            "'%s', expected one of %s%s"
                .formatted(text, String.join(", ", words), Spelling.question(text, words)));
      }
    }

    public Pipeline {
      Require.atLeast("micro-batches", 1, microBatches);
      cuts = List.copyOf(cuts);
    }

    /** Whether stages are found by measuring layers. */
    public boolean automatic() {
      return cuts.equals(List.of("auto"));
    }
  }

  @JsonCreator
  public StrategyConfig {
    layers = Collections.unmodifiableMap(new LinkedHashMap<>(layers));
    if (mesh.has(StrategyText.SHARDED) && shard == Shard.NONE) {
      shard = Shard.PARAMETERS;
    }
    if (mesh.has(StrategyText.LAYER)) {
      pipeline = new Pipeline(Pipeline.Order.SEQUENTIAL, 1, pipeline.cuts, pipeline.recompute);
    }
  }

  /** The words of the mesh alone stand for a mapping with it. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static StrategyConfig of(String mesh) {
    return new StrategyConfig(
        StrategyText.parse(mesh),
        Map.of(),
        Gather.LAZY,
        Spatial.USUAL,
        Pipeline.USUAL,
        Shard.NONE,
        GradientSums.FLAT,
        Input.LEADER);
  }

  /** Refuses what does not go together with parts of layers, or with a pipeline. */
  void check(
      NetworkSpec network,
      DeterminismConfig determinism,
      Optional<ServersConfig> servers,
      GradientsConfig gradients,
      boolean reuse) {
    LayerNames.matching(network, List.copyOf(layers.keySet()));
    checkModes();
    if (!spatial.automatic()) {
      LayerNames.matching(network, List.of(spatial.aggregate()));
    }
    if (!pipeline.automatic()) {
      LayerNames.matching(network, pipeline.cuts());
    }
    if (dataParallel()) {
      return;
    }
    if (servers.isPresent()) {
      throw new UsageException(
          "strategy %s, but with servers: every rank has the whole network: leave servers out"
              .formatted(mesh));
    }
    if (reuse && (mesh.splitsLayers() || mesh.pipelined())) {
      throw new UsageException(
          "strategy %s, but data.reuse exchanges samples between ranks that each have their own:"
                  .formatted(mesh)
              + " leave data.reuse out");
    }
    if (mesh.pipelined() && determinism.elastic()) {
      throw new UsageException(
          "strategy %s, but determinism: elastic goes on with fewer ranks, and a pipeline needs all"
                  .formatted(mesh)
              + " of its own: use determinism: run");
    }
    if (sharded() && determinism.elastic()) {
      throw new UsageException(
          "strategy.shard is %s, but with determinism: elastic every rank keeps everything: use"
                  .formatted(shard.word())
              + " determinism: run");
    }
    checkGradients(gradients);
  }

  /** Modes of layers are for axes that split them. */
  private void checkModes() {
    if (!layers.isEmpty() && !mesh.splitsLayers()) {
      throw new UsageException(
          "strategy.layers gives modes to layers, but strategy %s splits none: add an axis to"
                  .formatted(mesh)
              + " strategy.mesh, such as filter=2, or leave layers out");
    }
    layers.forEach(
        (name, mode) -> {
          if (mode.equals(Mode.SPACE.word()) && !mesh.splitsSpace()) {
            throw new UsageException(
                "strategy.layers: {%s: %s}, but strategy %s has no axis in space: add one to"
                        .formatted(name, mode, mesh)
                    + " strategy.mesh, such as spatial=2, or use filter, channel or whole");
          }
        });
  }

  private void checkGradients(GradientsConfig wanted) {
    if (wanted.reduction() == GradientsConfig.Reduction.ADASUM) {
      throw new UsageException(
          "gradients.reduction is adasum, but with strategy %s a rank has parts of gradients, which"
                  .formatted(mesh)
              + " are summed: use reduction: sum");
    }
    if (scattersGradients() && wanted.compresses()) {
      throw new UsageException(
          "gradients.compression is %s, but with strategy.shard %s gradients are not compressed:"
                  .formatted(wanted.compression().code(), shard.word())
              + " use none, or shard: optimizer");
    }
    if (wanted.leavesResiduals()) {
      throw new UsageException(
          "gradients.compression is %s, but with strategy %s no residuals are kept: use none,"
                  .formatted(wanted.compression().code(), mesh)
              + " bfloat16 or float16");
    }
  }

  /** The same with a pipeline that is cut before these layers. */
  StrategyConfig withCuts(List<String> names) {
    Pipeline named =
        new Pipeline(pipeline.schedule, pipeline.microBatches, names, pipeline.recompute);
    return new StrategyConfig(mesh, layers, gather, spatial, named, shard, gradients, input);
  }

  /** Refuses more stages than the network has, and cuts that do not make as many. */
  void checkStages(NetworkSpec network, int stages) {
    StageCuts possible = new StageCuts(LocalNetwork.undivided(network), Set.of());
    if (pipeline.automatic()) {
      possible.check(stages);
    } else {
      possible.begins(pipeline.cuts(), stages);
    }
  }

  /** The ranks in a grid; refuses a number of ranks that does not fit. */
  public Mesh mesh(int ranks, NetworkSpec network) {
    return mesh.mesh(ranks, network.input().extents().size() - 1);
  }

  /** Whether ranks that differ in samples hold parts of what they update. */
  public boolean sharded() {
    return shard != Shard.NONE;
  }

  /** Whether gradients are summed where their parts are held, not by a synchroniser. */
  private boolean scattersGradients() {
    return shard == Shard.GRADIENTS || shard == Shard.PARAMETERS;
  }

  /**
   * How layers work along the inner axes of the mesh.
   *
   * @param samples of a step for each group of ranks that work on the same ones
   */
  Strategy layers(int samples) {
    SpaceOptions space =
        new SpaceOptions(
            spatial.automatic() ? Optional.empty() : Optional.of(spatial.aggregate),
            spatial.aggregateTo == Spatial.AggregateTo.SAMPLES,
            spatial.memoryMegabytes << 20,
            samples);
    return new Strategy(layers, gather == Gather.EAGER, space);
  }

  /** Whether it is only samples that are shared, and every rank holds the whole network. */
  public boolean dataParallel() {
    return !mesh.splitsLayers() && !mesh.pipelined() && shard == Shard.NONE;
  }

  /** A mapping of words to sizes, or the words of the command line. */
  static StrategyText text(JsonNode node) {
    if (!(node instanceof ObjectNode sizes)) {
      return StrategyText.parse(node.asText());
    }
    Map<String, String> words = new LinkedHashMap<>();
    sizes.properties().forEach(entry -> words.put(entry.getKey(), entry.getValue().asText()));
    return StrategyText.of(words);
  }

  static ObjectNode textSchema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    schema.putArray("type").add("string").add("object");
    return schema;
  }
}
