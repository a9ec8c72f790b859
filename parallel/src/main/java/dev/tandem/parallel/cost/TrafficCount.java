package dev.tandem.parallel.cost;

import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.KeptOutputs;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.cost.PlanTraffic.Call;
import dev.tandem.parallel.cost.PlanTraffic.Item;
import dev.tandem.parallel.cost.PlanTraffic.Kind;
import dev.tandem.parallel.cost.PlannedStep.Pass;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.RowCut;
import dev.tandem.parallel.shard.ShardStage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Counts the traffic of a plan, layer by layer. */
final class TrafficCount {

  private static final Set<String> DATA = Set.of(Mesh.DATA);

  private static final Set<String> STAGES = Set.of(Mesh.PIPELINE);

  private final PlanCounts plan;
  private final LocalNetwork network;
  private final PlannedGroups groups;
  private final PlannedStep step;
  private final Map<String, Shape> shapes;
  private final Map<String, SampleShare> samples;
  private final KeptOutputs kept;
  private final List<Item> items = new ArrayList<>();

  TrafficCount(PlanCounts plan, PlannedStep step) {
    this.plan = plan;
    this.step = step;
    network = plan.network();
    groups = plan.groups();
    shapes = plan.shapes();
    samples = plan.samples();
    kept = plan.kept();
  }

  /**
   * Of a step.
   *
   * @param all whether gradients and parameters are counted, too
   */
  PlanTraffic traffic(boolean all) {
    List<List<Shape>> inputs = plan.inputs();
    for (int i = 0; i < inputs.size(); i++) {
      Node node = network.spec().nodes().get(i);
      boolean frozen = step.frozen().contains(node.name());
      boolean learnsBefore = node.inputs().stream().anyMatch(kept::learns);
      if (node.layer() instanceof Exchange exchange) {
        exchange(exchange, node, learnsBefore);
      } else if (node.layer() instanceof BatchNorm norm && !frozen) {
        batchNorm(norm, inputs.get(i).getFirst().extents().getFirst(), learnsBefore);
      } else if (node.layer() instanceof GroupNorm norm && norm.ranks().isPresent()) {
        groupNorm(norm, norm.ranks().get(), learnsBefore);
      }
      for (ParameterSpec parameter : all ? plan.parameters().get(i) : List.<ParameterSpec>of()) {
        parameter(node.name(), parameter, frozen);
      }
    }
    return new PlanTraffic(items);
  }

  private void add(String layer, Kind kind, Set<String> along, Call call) {
    if (call.cost().bytesSent() > 0 || call.cost().steps() > 0) {
      items.add(new Item(layer, kind, along, call));
    }
  }

  private void exchange(Exchange exchange, Node node, boolean learnsBefore) {
    boolean within = exchange.role() == Exchange.Role.WITHIN;
    Shape before = within ? shapes.get(node.inputs().getFirst()) : exchange.shape();
    boolean returns = exchange.role() == Exchange.Role.RECEIVE ? exchange.learns() : learnsBefore;
    for (Pass pass : step.passes()) {
      MovementCost forward =
          new MovementCost(exchange.forward(), before, pass.samples(), step.activations());
      MovementCost backward =
          new MovementCost(
              exchange.backward(), exchange.shape(), pass.samples(), step.activations());
      for (int i = 0; i < (within && pass.repeated() ? 2 : 1); i++) {
        add(node.name(), Kind.FORWARD, along(exchange), call(exchange, forward));
      }
      if (returns) {
        add(node.name(), Kind.BACKWARD, along(exchange), call(exchange, backward));
      }
    }
  }

  private Set<String> along(Exchange exchange) {
    return exchange.role() == Exchange.Role.WITHIN ? groups.axes(exchange.transfer()) : STAGES;
  }

  private Call call(Exchange exchange, MovementCost movement) {
    return exchange.role() == Exchange.Role.WITHIN
        ? movement.within(groups.position(exchange.transfer()), groups)
        : movement.toStage(groups.position(STAGES));
  }

  /** A number, and two for each channel; backward two for each channel. */
  private void batchNorm(BatchNorm norm, long channels, boolean learnsBefore) {
    List<Set<String>> meetings = new ArrayList<>();
    norm.ranks().map(groups::axes).ifPresent(meetings::add);
    if (step.synchronised()) {
      meetings.add(DATA);
    }
    for (Pass pass : step.passes()) {
      for (Set<String> axes : meetings) {
        statistics(norm.name(), axes, 1 + 2 * channels, pass.repeated() ? 2 : 1);
        if (learnsBefore || step.synchronised()) {
          statistics(norm.name(), axes, 2 * channels, 1);
        }
      }
    }
  }

  /** The same for each sample and group. */
  private void groupNorm(GroupNorm norm, Transfer ranks, boolean learnsBefore) {
    Set<String> axes = groups.axes(ranks);
    for (Pass pass : step.passes()) {
      long sums = samples.get(norm.name()).count(pass.samples()) * norm.groups();
      statistics(norm.name(), axes, 1 + 2 * sums, pass.repeated() ? 2 : 1);
      if (learnsBefore) {
        statistics(norm.name(), axes, 2 * sums, 1);
      }
    }
  }

  private void statistics(String layer, Set<String> axes, long elements, int times) {
    TeamPosition position = groups.position(axes);
    for (int i = 0; i < times; i++) {
      add(
          layer,
          Kind.STATISTICS,
          axes,
          groups.allreduce(position, elements * DType.FLOAT64.bytes(), DType.FLOAT64));
    }
  }

  private void parameter(String layer, ParameterSpec parameter, boolean frozen) {
    TeamPosition data = groups.position(DATA);
    long bytes = parameter.shape().elements() * step.parameters().bytes();
    Set<String> inner = network.sums().getOrDefault(parameter.name(), Set.of());
    boolean scatters = step.shard().isPresent() && step.shard().get() != ShardStage.OPTIMIZER;
    RowCut rows = new RowCut(parameter.shape(), step.parameters(), data.size());
    if (!frozen && scatters) {
      for (int i = 0; i < step.passes().size(); i++) {
        add(
            layer,
            Kind.GRADIENTS,
            inner,
            groups.allreduce(groups.position(inner), bytes, step.parameters()));
        if (data.size() > 1) {
          add(layer, Kind.GRADIENTS, DATA, groups.reduceScatter(data, rows.lengths()));
        }
      }
    } else if (!frozen) {
      Set<String> all = new HashSet<>(inner);
      all.add(Mesh.DATA);
      add(
          layer,
          Kind.GRADIENTS,
          all,
          groups.allreduce(groups.position(all), bytes, step.parameters()));
    }
    if (data.size() > 1) {
      for (int i = 0; i < fetches(); i++) {
        add(layer, Kind.PARAMETERS, DATA, groups.allgather(data, rows.lengths()));
      }
    }
  }

  /** How often all rows of a parameter come together in a step. */
  private int fetches() {
    return step.shard()
        .map(
            stage ->
                switch (stage) {
                  case OPTIMIZER, GRADIENTS -> 1;
                  case PARAMETERS ->
                      step.passes().stream().mapToInt(pass -> pass.repeated() ? 3 : 2).sum();
                })
        .orElse(0);
  }
}
