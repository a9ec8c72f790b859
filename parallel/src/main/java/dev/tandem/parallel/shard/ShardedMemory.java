package dev.tandem.parallel.shard;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.Handle;
import dev.tandem.comm.collective.Collectives;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.ParameterMemory;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The memory of a network whose parameters, gradients and optimizer state are divided by rows over
 * the ranks that have other samples. Each rank updates its rows; what else it keeps is said by the
 * {@link ShardStage}. The bits are those of ranks that keep everything: a sum that is scattered is
 * the same sum, and updates are made element by element.
 *
 * <p>Whole tensors that are not kept are in two windows, one layer after the other; they come and
 * go while neighbouring layers compute. All ranks of the group create and use theirs in the same
 * way at the same time.
 */
public final class ShardedMemory implements ParameterMemory {

  private final Arena arena;
  private final ShardStage stage;
  private final DType dtype;
  private final Communicator group;
  private final List<List<ParameterSpec>> layers;
  private final int[] firstOf;
  private final int[] layerOf;
  private final List<RowCut> cuts;
  private final Tensors parameters;
  private final Tensors gradients;
  private final ParameterFetches fetches;
  private final GradientScatter scatter;
  private long bytes;

  /**
   * Memory for a rank's network.
   *
   * @param engine with whose memory it counts
   * @param data the ranks that have other samples; borrowed to form a group of them
   * @param sums ranks with the same samples over which the gradients of a parameter are summed
   *     before, by its name; borrowed
   */
  public ShardedMemory(
      Engine engine,
      NetworkSpec spec,
      DType dtype,
      ShardStage stage,
      Communicator data,
      Map<String, Communicator> sums) {
    this.stage = stage;
    arena = engine.arena();
    this.dtype = dtype;
    group = data.group(IntStream.range(0, data.size()).toArray());
    layers = layers(spec);
    firstOf = new int[layers.size() + 1];
    layerOf = new int[spec.parameters().size()];
    for (int layer = 0; layer < layers.size(); layer++) {
      firstOf[layer + 1] = firstOf[layer] + layers.get(layer).size();
      Arrays.fill(layerOf, firstOf[layer], firstOf[layer + 1], layer);
    }
    cuts =
        spec.parameters().stream()
            .map(each -> new RowCut(each.shape(), dtype, group.size()))
            .toList();
    parameters = tensors(spec, stage != ShardStage.PARAMETERS);
    gradients = tensors(spec, stage == ShardStage.OPTIMIZER);
    fetches = new ParameterFetches(layers.size(), this::fetch);
    scatter = new GradientScatter(group, Map.copyOf(sums), cuts, gradients, this::allocate);
  }

  /** The parameters of each layer that has some. */
  static List<List<ParameterSpec>> layers(NetworkSpec spec) {
    List<List<ParameterSpec>> layers = new ArrayList<>();
    List<List<Shape>> inputs = spec.layerInputs();
    for (int i = 0; i < spec.nodes().size(); i++) {
      List<ParameterSpec> own = spec.nodes().get(i).layer().parameters(inputs.get(i));
      if (!own.isEmpty()) {
        layers.add(own);
      }
    }
    return layers;
  }

  private Tensors tensors(NetworkSpec spec, boolean whole) {
    List<ParameterSpec> specs = spec.parameters();
    if (whole) {
      List<Shape> shapes = specs.stream().map(ParameterSpec::shape).toList();
      MemorySegment memory = allocate(AlignedTensors.bytes(dtype, shapes));
      List<TensorView> all = AlignedTensors.views(memory, dtype, specs, shapes);
      List<TensorView> rows = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        rows.add(cuts.get(i).rows(all.get(i), group.rank()));
      }
      return new Tensors(all, rows, Optional.of(memory));
    }
    List<Shape> shapes = cuts.stream().map(cut -> cut.rows(group.rank())).toList();
    MemorySegment memory = allocate(AlignedTensors.bytes(dtype, shapes));
    List<TensorView> rows = AlignedTensors.views(memory, dtype, specs, shapes);
    return new Tensors(LayerWindows.views(dtype, layers, this::allocate), rows, Optional.empty());
  }

  private MemorySegment allocate(long size) {
    bytes += size;
    return arena.allocate(size, AlignedTensors.ALIGNMENT);
  }

  /** What ranks keep rows of. */
  public ShardStage stage() {
    return stage;
  }

  /** Bytes of this rank's parameters and gradients, windows included. */
  public long bytes() {
    return bytes;
  }

  @Override
  public Tensors parameters() {
    return parameters;
  }

  @Override
  public Tensors gradients() {
    return gradients;
  }

  @Override
  public long firstRow(int parameter) {
    return cuts.get(parameter).from(group.rank());
  }

  @Override
  public long endRow(int parameter) {
    return cuts.get(parameter).from(group.rank() + 1);
  }

  @Override
  public void beforeForward(int parameter) {
    if (!parameters.isWhole()) {
      fetches.require(layerOf[parameter], 1);
    }
  }

  @Override
  public void beforeBackward(int parameter) {
    int layer = layerOf[parameter];
    if (!parameters.isWhole()) {
      fetches.require(layer, -1);
    }
    if (!gradients.isWhole()) {
      scatter.awaitWindow(layer);
    }
  }

  /**
   * A whole gradient of this rank is ready: starts to sum it over all ranks, each of which gets its
   * rows. A parameter's second gradient before {@link #awaitGradients} is added to the first.
   */
  public void reduceGradient(int parameter) {
    scatter.start(layerOf[parameter], parameter);
  }

  /** Returns when the rows of all gradients are summed. */
  public void awaitGradients() {
    scatter.await();
  }

  @Override
  public void updated() {
    if (parameters.isWhole()) {
      for (int i = 0; i < cuts.size(); i++) {
        gather(group, i);
      }
    }
  }

  private Handle fetch(int layer) {
    return group.start(
        ranks -> {
          for (int i = firstOf[layer]; i < firstOf[layer + 1]; i++) {
            gather(ranks, i);
          }
        });
  }

  private void gather(Collectives ranks, int parameter) {
    MemorySegment rows = parameters.updated().get(parameter).data();
    MemorySegment whole = parameters.computing().get(parameter).data();
    ranks.allgather(rows, whole, cuts.get(parameter).lengths());
  }

  @Override
  public void close() {
    group.close();
    arena.close();
  }
}
