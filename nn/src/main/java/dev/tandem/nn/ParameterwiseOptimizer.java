package dev.tandem.nn;

import dev.tandem.core.Arrival;
import dev.tandem.core.DType;
import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.internal.FlatTensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * An optimizer that updates one parameter after the other and keeps tensors of a parameter's shape
 * for each, and the number of steps. The update of a subclass is made of the engine's operations on
 * whole tensors, in a fixed order.
 */
abstract class ParameterwiseOptimizer implements Optimizer {

  /** One parameter in one step. */
  record Update(Tensor parameter, Tensor gradient, boolean decays, int place) {}

  private final Network network;
  private final Arena arena;
  private final List<FlatTensors> slots = new ArrayList<>();
  private final MemorySegment steps;
  private final List<Together> together = new ArrayList<>();
  private StateCopies copies; // on a device, from the first of them on

  /** An optimizer that keeps tensors of these names, zero at first. */
  ParameterwiseOptimizer(Network network, String... slotNames) {
    this.network = network;
    arena = network.newArena();
    steps = arena.allocate(ValueLayout.JAVA_LONG);
    List<TensorView> updated = network.updatedParameters();
    for (String name : slotNames) {
      slots.add(
          new FlatTensors(
              network.place(arena),
              network.dtype(),
              updated.stream().map(view -> "optimizer." + name + "." + view.name()).toList(),
              updated.stream().map(TensorView::shape).toList()));
    }
  }

  /** Changes one parameter. */
  abstract void update(Update update, double learningRate);

  /** Whether {@link #updateTogether} is there. */
  boolean updatesTogether() {
    return false;
  }

  /** Changes many parameters by one operation, on a device. */
  void updateTogether(Together some, double learningRate) {
    throw new UnsupportedOperationException("one after the other");
  }

  /**
   * Parameters that decay, or those that do not.
   *
   * @param kept of them, by the number of the name
   */
  record Together(
      boolean decays, List<Tensor> parameters, List<Tensor> gradients, List<List<Tensor>> kept) {}

  /**
   * The same tensors in every step: while the processor makes lists, a device has nothing to do.
   */
  private List<Together> together(List<Update> all) {
    if (together.isEmpty()) {
      for (boolean decays : new boolean[] {true, false}) {
        List<Update> some = all.stream().filter(each -> each.decays() == decays).toList();
        together.add(
            new Together(
                decays,
                some.stream().map(Update::parameter).toList(),
                some.stream().map(Update::gradient).toList(),
                slots.stream()
                    .map(slot -> some.stream().map(each -> slot.tensor(each.place())).toList())
                    .toList()));
      }
    }
    return together;
  }

  /** Runs before the parameters of a step are changed. */
  void beforeStep() {
    // Most have nothing to do.
  }

  /** Runs in a split network after that: ranks meet here, once for all parameters. */
  void beforeUpdates(List<Update> updates, NormReducer norms) {
    // Most have nothing to do.
  }

  @Override
  public final void step(double learningRate) {
    beforeStep();
    network.inScope(
        () -> {
          steps.set(ValueLayout.JAVA_LONG, 0, steps() + 1);
          boolean byOne = network.onDevice() && updatesTogether();
          List<Update> updates = byOne && !together.isEmpty() ? List.of() : updates();
          network.part().norms().ifPresent(norms -> beforeUpdates(updates, norms));
          if (byOne) {
            together(updates).forEach(some -> updateTogether(some, learningRate));
            return null;
          }
          for (Update update : updates) {
            try (Scope _ = new Scope()) { // What a parameter needs is free for the next.
              update(update, learningRate);
            }
          }
          return null;
        });
    network.updated();
  }

  private List<Update> updates() {
    List<Update> updates = new ArrayList<>();
    List<TensorView> parameters = network.updatedParameters();
    for (int i = 0; i < parameters.size(); i++) {
      if (network.graph().updates(i)) {
        // Weights have two dimensions or more; biases and the like do not decay.
        boolean weight = parameters.get(i).shape().extents().size() > 1;
        updates.add(
            new Update(
                network.updatedParameterTensors().tensor(i),
                network.updatedGradientTensors().tensor(i),
                weight,
                i));
      }
    }
    return updates;
  }

  /**
   * The norms of whole tensors of which this rank has parts.
   *
   * @param kinds which tensors of an update
   * @return one row for each kind, by the place of the parameter; 0 for those that do not decay
   */
  @SafeVarargs
  final double[][] norms(
      List<Update> updates, NormReducer norms, Function<Update, Tensor>... kinds) {
    double[][] rows = new double[kinds.length][network.updatedParameters().size()];
    for (Update update : updates) {
      for (int kind = 0; kind < kinds.length && update.decays(); kind++) {
        try (Scope _ = new Scope()) {
          rows[kind][update.place()] = Gradients.squares(kinds[kind].apply(update));
        }
      }
    }
    norms.sum(rows);
    for (double[] row : rows) {
      Arrays.setAll(row, i -> Math.sqrt(row[i]));
    }
    return rows;
  }

  @Override
  public final List<TensorView> state() {
    List<TensorView> state = new ArrayList<>();
    slots.forEach(slot -> state.addAll(slot.views()));
    state.add(stepsView());
    return state;
  }

  private TensorView stepsView() {
    return new TensorView("optimizer.steps", DType.INT64, Shape.of(), steps);
  }

  @Override
  public final StateTree stateTree(Map<String, String> values) {
    network.download();
    network.inScope(
        () -> {
          slots.forEach(FlatTensors::download);
          return null;
        });
    List<TensorView> tensors = new ArrayList<>(network.parameters());
    tensors.addAll(network.buffers());
    tensors.addAll(state());
    return StateTree.of(tensors, values);
  }

  @Override
  public final StateCopy stateCopy(Map<String, String> values) {
    if (!network.onDevice()) {
      return new StateCopy(stateTree(values), Arrival.HERE);
    }
    return network.inScope(
        () -> {
          if (copies == null) {
            List<FlatTensors> tensors = new ArrayList<>(network.stateTensors());
            tensors.addAll(slots);
            copies =
                new StateCopies(
                    network.engine().accelerator().orElseThrow(), tensors, List.of(stepsView()));
          }
          return copies.take(values);
        });
  }

  @Override
  public final void stateChanged() {
    network.upload();
    network.inScope(
        () -> {
          slots.forEach(FlatTensors::upload);
          return null;
        });
  }

  @Override
  public final Map<String, Region> stateRegions() {
    Map<String, Region> regions = new HashMap<>();
    put(network.parameters(), network.keptRegions(), regions);
    put(
        network.buffers(),
        network.buffers().stream().map(network.part()::region).toList(),
        regions);
    slots.forEach(slot -> put(slot.views(), network.updatedRegions(), regions));
    return regions;
  }

  private static void put(List<TensorView> tensors, List<Region> all, Map<String, Region> regions) {
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).isAll()) {
        regions.put(tensors.get(i).name(), all.get(i));
      }
    }
  }

  @Override
  public final void close() {
    if (arena.scope().isAlive()) {
      if (copies != null) {
        copies.close();
      }
      slots.forEach(FlatTensors::close);
      arena.close();
    }
  }

  final Network network() {
    return network;
  }

  /** What is kept of a parameter under the name with this number. */
  final Tensor kept(int slot, Update update) {
    return slots.get(slot).tensor(update.place());
  }

  /** Steps made, the present one counted. */
  final long steps() {
    return steps.get(ValueLayout.JAVA_LONG, 0);
  }

  /** The gradient and, of a weight, a share of the weight itself. */
  static Tensor withDecay(Update update, double weightDecay) {
    return weightDecay > 0 && update.decays()
        ? update.gradient().add(update.parameter(), weightDecay)
        : update.gradient();
  }
}
