package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.GradientGraph;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.servers.MomentumRule;
import dev.tandem.servers.ParameterServers;
import dev.tandem.servers.ServerLayout;
import dev.tandem.servers.ServerSettings;
import dev.tandem.train.config.OptimizerConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The parameters and momentum of a network on parameter servers. They begin with what the network
 * and its optimizer have, which may come from a checkpoint, and {@link #drain} brings them back, so
 * that a checkpoint is the same thing with servers and without. One thread.
 */
public final class ServedParameters implements AutoCloseable {

  private static final String MOMENTUM = "optimizer.momentum.";
  private static final String STEPS = "optimizer.steps";

  private final Network network;
  private final Map<String, TensorView> state;
  private final MemorySegment momentum;
  private final long stepsBefore;
  private final ParameterServers servers;
  private boolean pending;
  private boolean drained;

  /**
   * Begins on all ranks together.
   *
   * @param staleness steps that a rank may be ahead of the slowest
   * @param compensate for gradients that come late, as {@link ServerSettings} has it
   * @param rule of the optimizer, which itself makes no updates
   */
  public ServedParameters(
      Communicator communicator,
      ServerLayout layout,
      int staleness,
      boolean compensate,
      OptimizerConfig.Sgd rule,
      Network network,
      Optimizer optimizer) {
    this.network = network;
    state =
        optimizer.state().stream().collect(Collectors.toMap(TensorView::name, Function.identity()));
    stepsBefore = state.get(STEPS).data().get(ValueLayout.JAVA_LONG, 0);
    momentum = Arena.ofAuto().allocate(network.parameterBuffer().byteSize(), 64);
    for (TensorView parameter : network.parameters()) {
      momentum(parameter).copyFrom(state.get(MOMENTUM + parameter.name()).data());
    }
    servers =
        ParameterServers.start(
            communicator,
            new ServerSettings(
                layout,
                staleness,
                new MomentumRule(
                    rule.momentum(), rule.weightDecay(), rule.nesterov(), spans(network)),
                compensate),
            network.parameterBuffer(),
            List.of(momentum));
  }

  /** The parameters that learn; of those only weights decay, which have two dimensions or more. */
  private static List<MomentumRule.Span> spans(Network network) {
    Set<String> learning =
        network.gradientGraph().parameters().stream()
            .map(GradientGraph.Parameter::name)
            .collect(Collectors.toSet());
    List<MomentumRule.Span> spans = new ArrayList<>();
    for (TensorView parameter : network.parameters()) {
      if (learning.contains(parameter.name())) {
        boolean decays = parameter.shape().extents().size() > 1;
        long elements = parameter.shape().elements();
        spans.add(
            new MomentumRule.Span(offset(network, parameter) / Float.BYTES, elements, decays));
      }
    }
    return spans;
  }

  private static long offset(Network network, TensorView parameter) {
    return parameter.data().address() - network.parameterBuffer().address();
  }

  private MemorySegment momentum(TensorView parameter) {
    return momentum.asSlice(offset(network, parameter), parameter.byteSize());
  }

  /** Hands over the network's gradients. */
  public void push(double rate) {
    servers.push(network.gradientBuffer(), rate);
    pending = true;
    drained = false;
  }

  /** Waits for parameters to continue with, if gradients were handed over since. */
  public void pull() {
    if (pending) {
      servers.pull(network.parameterBuffer());
      pending = false;
    }
  }

  /** Brings everything back to the network and its optimizer, the same on all ranks. */
  public void drain() {
    if (drained) {
      return;
    }
    servers.drain(network.parameterBuffer(), List.of(momentum));
    for (TensorView parameter : network.parameters()) {
      state.get(MOMENTUM + parameter.name()).data().copyFrom(momentum(parameter));
    }
    state.get(STEPS).data().set(ValueLayout.JAVA_LONG, 0, stepsBefore + servers.clock());
    pending = false;
    drained = true;
  }

  /** The servers themselves. */
  public ParameterServers servers() {
    return servers;
  }

  @Override
  public void close() {
    servers.close();
  }
}
