package dev.tandem.nn;

import dev.tandem.comm.device.DeviceMemory;
import dev.tandem.core.DType;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.engine.Accelerator;
import dev.tandem.nn.engine.DeviceRow;
import dev.tandem.nn.engine.Libtorch;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.internal.Converted;
import dev.tandem.nn.internal.FirstValues;
import dev.tandem.nn.internal.FlatTensors;
import dev.tandem.nn.internal.Graph;
import dev.tandem.nn.internal.LayerHook;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A network in memory: its parameters, its buffers, the gradients of the last step, and the passes
 * that compute them.
 *
 * <p>Parameters, buffers and gradients live in native memory that the network owns until it is
 * closed; the views that it hands out are that very memory, so what a caller writes there (an
 * averaged gradient, a restored parameter) is what the network uses next. On a device they are a
 * copy: {@link #download} and {@link #upload} bring both sides in line. One thread at a time may
 * use a network and its views.
 */
public final class Network implements AutoCloseable {

  private final Engine engine;
  private final NetworkSpec spec;
  private final NetworkOptions options;
  private final Set<String> frozen;
  private final Arena arena;
  private final Optional<ParameterMemory> memory;
  private final FlatTensors parameters;
  private final FlatTensors buffers;
  private final List<FlatTensors> gradients = new ArrayList<>();
  private final FlatTensors updatedParameters;
  private final FlatTensors updatedGradients;
  private final Graph graph;
  private final Passes passes;
  private final NetworkPart part;
  private final FlatTensors.Place place;
  private final Optional<Converted> converted;
  private final Optional<DeviceInputs> inputs;
  private final Optional<RepeatedStep> repeated;

  private Network(
      Engine engine,
      NetworkSpec spec,
      NetworkOptions options,
      NetworkPart part,
      Optional<ParameterMemory> memory) {
    engine.enter();
    this.engine = engine;
    if (memory.isPresent() && engine.accelerator().isPresent()) {
      throw new UsageException(
          "parameters in memory from outside do not go with " + engine.device().name());
    }
    arena = engine.hostArena();
    this.spec = spec;
    this.options = options;
    this.part = part;
    this.memory = memory;
    Set<String> all = LayerNames.matching(part.whole(), options.frozen());
    if (!all.isEmpty() && part.whole().gradientGraph(options.dtype(), all).parameters().isEmpty()) {
      throw new UsageException("all layers are frozen: leave one with parameters to learn");
    }
    frozen = new LinkedHashSet<>(all);
    frozen.retainAll(spec.nodes().stream().map(NetworkSpec.Node::name).toList());
    place = engine.place(arena);
    buffers = new FlatTensors(place, "", options.dtype(), spec.buffers());
    if (memory.isPresent()) {
      ParameterMemory given = memory.get();
      parameters = tensors(given.parameters());
      gradients.add(tensors(given.gradients()));
      updatedParameters = new FlatTensors(given.parameters().updated(), Optional.empty());
      updatedGradients = new FlatTensors(given.gradients().updated(), Optional.empty());
    } else {
      parameters = new FlatTensors(place, "", options.dtype(), spec.parameters());
      gradients.add(new FlatTensors(place, "", options.dtype(), spec.parameters()));
      updatedParameters = parameters;
      updatedGradients = gradients.getFirst();
    }
    LayerHook hook = memory.map(Network::hook).orElse(LayerHook.NONE);
    Optional<Accelerator> device = engine.accelerator();
    converted =
        device.isPresent() && computing() != ScalarType.of(options.dtype())
            ? Optional.of(new Converted(parameters, computing()))
            : Optional.empty();
    graph =
        device.isPresent()
            ? new Graph(
                spec,
                parameters.tensors(),
                buffers.tensors(),
                converted.map(Converted::tensors).orElse(List.of()),
                computing(),
                frozen)
            : new Graph(spec, parameters.tensors(), buffers.tensors(), computing(), frozen, hook);
    passes = new Passes(this);
    inputs = device.map(DeviceInputs::new);
    repeated =
        device
            .filter(_ -> engine.options().graph())
            .map(there -> new RepeatedStep(this, passes, there));
  }

  /** A network in float32 with first parameters that depend on the seed alone. */
  public static Network create(Engine engine, NetworkSpec spec, Seed seed) {
    return create(engine, spec, seed, NetworkOptions.DEFAULT);
  }

  /** A network that computes as the options say. */
  public static Network create(Engine engine, NetworkSpec spec, Seed seed, NetworkOptions options) {
    return create(engine, spec, seed, options, NetworkPart.all(spec));
  }

  /**
   * What one rank computes of a network that is split: its first parameters and buffers are those
   * regions of the whole network's.
   */
  public static Network create(
      Engine engine, NetworkSpec spec, Seed seed, NetworkOptions options, NetworkPart part) {
    return create(engine, spec, seed, options, part, Optional.empty());
  }

  /**
   * The same with parameters in memory from outside.
   *
   * @param memory closed with the network; empty for a network that has memory of its own
   */
  public static Network create(
      Engine engine,
      NetworkSpec spec,
      Seed seed,
      NetworkOptions options,
      NetworkPart part,
      Optional<ParameterMemory> memory) {
    part.check(spec);
    Network network = new Network(engine, spec, options, part, memory);
    network.fill(network.parameters(), network.keptRegions(), part.whole().parameters(), seed);
    network.fill(
        network.buffers(),
        network.buffers().stream().map(part::region).toList(),
        part.whole().buffers(),
        seed);
    network.upload();
    return network;
  }

  private void fill(
      List<TensorView> views, List<Region> regions, List<ParameterSpec> whole, Seed seed) {
    Map<String, ParameterSpec> byName =
        whole.stream().collect(Collectors.toMap(ParameterSpec::name, each -> each));
    for (int i = 0; i < views.size(); i++) {
      TensorView view = views.get(i);
      FirstValues.fill(view, byName.get(view.name()), regions.get(i), seed);
    }
  }

  private static FlatTensors tensors(ParameterMemory.Tensors given) {
    return new FlatTensors(given.computing(), given.buffer());
  }

  private static LayerHook hook(ParameterMemory memory) {
    boolean stay = memory.parameters().isWhole();
    return new LayerHook() {
      @Override
      public void beforeForward(int parameter) {
        memory.beforeForward(parameter);
      }

      @Override
      public void beforeBackward(int parameter) {
        memory.beforeBackward(parameter);
      }

      @Override
      public boolean parametersStay() {
        return stay;
      }
    };
  }

  public NetworkSpec spec() {
    return spec;
  }

  public NetworkOptions options() {
    return options;
  }

  /** Bytes of the tensors of its engine. */
  public TensorBytes memory() {
    return engine.memory();
  }

  /** What this network is of a whole one: all of it, unless it is split. */
  public NetworkPart part() {
    return part;
  }

  /** What the outputs of a batch cost. */
  public Loss loss() {
    return passes.loss();
  }

  /** The type of parameters, gradients and samples. */
  public DType dtype() {
    return options.dtype();
  }

  /** Names of the layers that do not learn, in the network's order. */
  public Set<String> frozen() {
    return frozen;
  }

  /**
   * The parameters by layer, in the order of {@link NetworkSpec#parameters}: what is kept of them
   * in a {@link ParameterMemory}.
   */
  public List<TensorView> parameters() {
    return memory.map(given -> given.parameters().kept()).orElseGet(parameters::views);
  }

  /** What an optimizer changes of the parameters, in their order. */
  public List<TensorView> updatedParameters() {
    return updatedParameters.views();
  }

  /** Which region of the whole network's parameter each of {@link #parameters} is. */
  public List<Region> keptRegions() {
    boolean whole = memory.isEmpty() || memory.get().parameters().isWhole();
    return whole ? localRegions() : updatedRegions();
  }

  /** Which region of the whole network's parameter each of {@link #updatedParameters} is. */
  public List<Region> updatedRegions() {
    List<Region> regions = localRegions();
    if (memory.isEmpty()) {
      return regions;
    }
    List<Region> rows = new ArrayList<>();
    for (int i = 0; i < regions.size(); i++) {
      rows.add(regions.get(i).rows(memory.get().firstRow(i), memory.get().endRow(i)));
    }
    return rows;
  }

  private List<Region> localRegions() {
    return parameters.views().stream().map(part::region).toList();
  }

  /** What else must be kept with the parameters, such as running statistics, by layer. */
  public List<TensorView> buffers() {
    return buffers.views();
  }

  /**
   * The gradients, with the names and order of the parameters; zeros for frozen layers. What is
   * kept of them in a {@link ParameterMemory}.
   */
  public List<TensorView> gradients() {
    return memory.map(given -> given.gradients().kept()).orElseGet(() -> gradients(0));
  }

  /** The gradients of one of several batches of a step; memory for them comes with first use. */
  public List<TensorView> gradients(int shard) {
    return gradientBucket(shard).views();
  }

  /**
   * The memory of all parameters as one segment, with gaps of zeros for alignment; not in a {@link
   * ParameterMemory}.
   */
  public MemorySegment parameterBuffer() {
    return parameters.buffer();
  }

  /** The same of all gradients, laid out as that of the parameters. */
  public MemorySegment gradientBuffer() {
    return gradients.getFirst().buffer();
  }

  /**
   * The gradients that a backward pass makes and the order in which they become ready; those of
   * frozen layers are not among them.
   */
  public GradientGraph gradientGraph() {
    return spec.gradientGraph(options.dtype(), frozen);
  }

  /** As {@link #forwardBackward(Samples, TrainingStep)}, for networks without dropout. */
  public double forwardBackward(MemorySegment images, MemorySegment labels, int batch) {
    return forwardBackward(new Samples(images, labels, batch), TrainingStep.of(new Seed(0), 0));
  }

  /** Computes the mean loss of a batch and the gradients of that mean. */
  public double forwardBackward(Samples samples, TrainingStep step) {
    return forwardBackward(List.of(samples), step)[0];
  }

  /**
   * The same for several batches of one step, each with kernel calls and gradients of its own, so
   * that bits do not depend on which rank has which of them; batch normalisations meet where the
   * step says.
   *
   * @return the mean loss of each batch
   */
  public double[] forwardBackward(List<Samples> shards, TrainingStep step) {
    if (shards.size() == 1
        && repeated.isPresent()
        && repeated.get().takes(shards.getFirst(), step)) {
      passes.checkSamples(shards.getFirst());
      return new double[] {inScope(() -> repeated.get().run(shards.getFirst(), step))};
    }
    return computed(shards, step);
  }

  private double[] computed(List<Samples> shards, TrainingStep step) {
    try (OpenRun run = passes.begin(shards, step, false)) {
      run.forward();
      run.backward();
      return run.losses();
    }
  }

  /** Passes that are not taken from a recording; the mean loss. */
  double passesOf(Samples samples, TrainingStep step) {
    return computed(List.of(samples), step)[0];
  }

  /**
   * The passes of a step while the device records.
   *
   * @param batch as the caller has it
   * @return what {@link Passes#read} reads, retained
   */
  Tensor recordedPasses(Tensor batch, Tensor targets, int count, TrainingStep step) {
    return inScope(
        () -> {
          Samples nowhere = new Samples(MemorySegment.NULL, MemorySegment.NULL, count);
          Tensor prepared = passes.prepared(batch).retain();
          try (OpenRun run =
              new OpenRun(this, passes, List.of(nowhere), step, false, List.of(prepared))) {
            Tensor results = run.forward(targets, step.share(count));
            run.backwardUntold();
            return results;
          }
        });
  }

  /**
   * Begins a training pass whose halves are made when the caller wants; several may be open at
   * once. The samples are borrowed until it is closed.
   */
  public OpenRun begin(Samples samples, TrainingStep step) {
    return passes.begin(List.of(samples), step, false);
  }

  /**
   * The same for less memory and more time: between the halves only what came from other ranks is
   * kept, and the second begins with the forward pass again. Bits are the same; running statistics
   * take the batch in once, and nothing is sent to other stages or received from them again.
   */
  public OpenRun beginRecomputing(Samples samples, TrainingStep step) {
    return passes.begin(List.of(samples), step, true);
  }

  /**
   * Takes part in a step for which this rank has no samples: gradients are zeros, and the listener
   * is told of them. Ranks that keep rows of parameters need this one's.
   */
  public void forwardBackwardNothing(TrainingStep step) {
    forwardNothing();
    backwardNothing(step);
  }

  /** The first half of {@link #forwardBackwardNothing}, for steps whose passes alternate. */
  public void forwardNothing() {
    graph.forwardNothing();
  }

  /** The second half. */
  public void backwardNothing(TrainingStep step) {
    passes.backwardNothing(step);
  }

  /** Takes part in an evaluation of batches of which this rank has no samples. */
  public void evaluateNothing() {
    graph.answerNothing();
  }

  /** Whether whole gradients are kept between passes, so that those of several can be added. */
  public boolean keepsGradients() {
    return memory.isEmpty() || memory.get().gradients().isWhole();
  }

  /** Compares the network's answers with the labels; memory as in {@link Samples}. */
  public Evaluation evaluate(MemorySegment images, MemorySegment labels, int batch) {
    return evaluate(new Samples(images, labels, batch));
  }

  /** Compares the network's answers with the targets. */
  public Evaluation evaluate(Samples samples) {
    return passes.evaluate(samples, Optional.empty(), Optional.empty());
  }

  /** Likewise, and tells how long every layer takes. */
  public Evaluation evaluate(Samples samples, LayerTimer timer) {
    return passes.evaluate(samples, Optional.empty(), Optional.of(timer));
  }

  /** Likewise, and counts the classes of the samples and of the answers. */
  public Evaluation evaluate(Samples samples, ClassCounts counts) {
    return passes.evaluate(samples, Optional.of(counts), Optional.empty());
  }

  /**
   * The network's answers, before any softmax.
   *
   * @param inputs as in {@link Samples}
   * @param answers where they go: for each sample as many numbers of the network's type as it has
   *     classes
   */
  public void predict(MemorySegment inputs, int count, MemorySegment answers) {
    passes.predict(inputs, count, answers);
  }

  /** What computes it, for a person. */
  public String device() {
    return engine.description();
  }

  /** Whether the engine's tensors are on a device, and the views a copy of them on the host. */
  public boolean onDevice() {
    return engine.accelerator().isPresent();
  }

  /** On a device, brings {@link #parameters} and {@link #buffers} in line with it. */
  public void download() {
    inScope(
        () -> {
          parameters.download();
          buffers.download();
          return null;
        });
  }

  /** On a device, brings it in line with {@link #parameters} and {@link #buffers}. */
  public void upload() {
    inScope(
        () -> {
          parameters.upload();
          buffers.upload();
          return null;
        });
  }

  /** On a device, brings {@link #buffers} in line with it. */
  public void downloadBuffers() {
    inScope(
        () -> {
          buffers.download();
          return null;
        });
  }

  /** On a device, brings it in line with {@link #buffers}. */
  public void uploadBuffers() {
    inScope(
        () -> {
          buffers.upload();
          return null;
        });
  }

  /** On a device, brings {@link #gradients(int)} in line with it. */
  public void downloadGradients(int shard) {
    inScope(
        () -> {
          gradientBucket(shard).download();
          return null;
        });
  }

  /** On a device, brings its gradients in line with {@link #gradients()}. */
  public void uploadGradients() {
    inScope(
        () -> {
          gradientBucket(0).upload();
          return null;
        });
  }

  /**
   * Begins to copy samples to the device, if there is one, while it computes others. Passes over
   * this memory, or parts of it, take the copy, until {@link #unstage} or the second call after
   * this one; the memory does not change before {@link #awaitStaged} returns.
   */
  public void stage(MemorySegment samples, MemorySegment targets) {
    inputs.ifPresent(
        staged ->
            inScope(
                () -> {
                  passes.checkLabels(targets);
                  staged.stage(List.of(samples, targets));
                  return null;
                }));
  }

  /** Waits until the samples that were staged last are copied. */
  public void awaitStaged() {
    inputs.ifPresent(DeviceInputs::await);
  }

  /** Waits until what was given to the device, if there is one, is done. */
  public void awaitDevice() {
    if (onDevice()) {
      inScope(
          () -> {
            Libtorch.awaitDevice();
            return null;
          });
    }
  }

  /** Forgets all copies of samples: their memory may be freed. */
  public void unstage() {
    inputs.ifPresent(DeviceInputs::clear);
  }

  /**
   * The memory of all gradients on the device, laid out as {@link #gradientBuffer}; closed by the
   * caller, before the network. Empty if they are on the host.
   */
  public Optional<DeviceMemory> gradientRow() {
    return engine
        .accelerator()
        .map(
            device ->
                inScope(
                    () -> new DeviceRow(device, gradients.getFirst().everything().orElseThrow())));
  }

  /** Where a gradient begins in {@link #gradientBuffer}, in bytes. */
  public long gradientOffset(int parameter) {
    return gradients.getFirst().offset(parameter);
  }

  /** Memory for samples, from which a device can copy by itself; closed by the caller. */
  public Arena sampleArena() {
    return engine.accelerator().<Arena>map(PinnedArena::new).orElseGet(Arena::ofShared);
  }

  /** Where the copy of samples on the device is, if there is one. */
  OptionalLong staged(MemorySegment samples) {
    return inputs.map(all -> all.address(samples)).orElse(OptionalLong.empty());
  }

  /** Samples where the engine computes. */
  Tensor onDevice(MemorySegment samples, ScalarType type, long... extents) {
    long bytes = type.bytes();
    for (long extent : extents) {
      bytes *= extent;
    }
    OptionalLong copy = staged(samples.asSlice(0, bytes));
    return copy.isPresent()
        ? Tensor.on(engine.accelerator().orElseThrow(), copy.getAsLong(), type, extents)
        : Tensor.of(samples, type, extents).onDevice();
  }

  /** A pass begins: what is made of all parameters together is made now. */
  void beginPass() {
    converted.ifPresent(Converted::refresh);
  }

  /** Nothing is learnt of this parameter. */
  void clearGradient(int parameter) {
    if (onDevice()) {
      inScope(() -> gradientBucket(0).tensor(parameter).zero_());
    } else {
      gradientBucket(0).views().get(parameter).data().fill((byte) 0);
    }
  }

  /** Parameters and buffers on a device. */
  List<FlatTensors> stateTensors() {
    return List.of(parameters, buffers);
  }

  FlatTensors bufferTensors() {
    return buffers;
  }

  Engine engine() {
    return engine;
  }

  /** Frees all memory; views of it can no longer be read. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      engine.enter();
      repeated.ifPresent(RepeatedStep::close);
      inputs.ifPresent(DeviceInputs::close);
      converted.ifPresent(Converted::close);
      parameters.close();
      buffers.close();
      gradients.forEach(FlatTensors::close);
      if (memory.isPresent()) {
        updatedParameters.close();
        updatedGradients.close();
        memory.get().close();
      }
      graph.close();
      arena.close();
    }
  }

  /** Memory that counts with the network's. */
  Arena newArena() {
    return engine.hostArena();
  }

  /** Where tensors of an optimizer are. */
  FlatTensors.Place place(Arena arenaOfTensors) {
    return engine.place(arenaOfTensors);
  }

  Graph graph() {
    return graph;
  }

  /** What an optimizer changes. */
  FlatTensors updatedParameterTensors() {
    return updatedParameters;
  }

  /** What it changes them by. */
  FlatTensors updatedGradientTensors() {
    return updatedGradients;
  }

  /** An optimizer has changed the parameters. */
  void updated() {
    memory.ifPresent(ParameterMemory::updated);
  }

  FlatTensors gradientBucket(int shard) {
    while (gradients.size() <= shard) {
      gradients.add(new FlatTensors(place, "", options.dtype(), spec.parameters()));
    }
    return gradients.get(shard);
  }

  /** The type of activations. */
  ScalarType computing() {
    return switch (options.precision()) {
      case FULL -> ScalarType.of(options.dtype());
      case MIXED -> ScalarType.BFLOAT16;
    };
  }

  /** Runs work of the engine and frees all that it allocated, whether it succeeds or not. */
  <T> T inScope(Supplier<T> work) {
    if (!arena.scope().isAlive()) {
      throw new IllegalStateException("the network is closed");
    }
    engine.enter();
    try (Scope _ = new Scope()) {
      return work.get();
    }
  }
}
