package dev.tandem.parallel.cost;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.KeptOutputs;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.RowCut;
import dev.tandem.parallel.shard.ShardStage;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The bytes that a rank needs for its part of a network, as far as tensors go: what single kernels
 * need for a moment is not in it.
 *
 * @param parameters with buffers, and with room for whole parameters where only rows are kept
 * @param gradients likewise
 * @param state what the optimizer keeps
 * @param activations by layer of the rank's network, and of the input: outputs that stay until the
 *     backward pass, of all passes that are open at once
 * @param underWay gradients of activations, at the layer that has most of them
 * @param exchange what is packed to be sent, and what arrives
 */
public record PlanMemory(
    long parameters,
    long gradients,
    long state,
    Map<String, Long> activations,
    long underWay,
    long exchange) {

  /** Layers whose whole tensors are there at once, where only rows are kept. */
  private static final int WINDOWS = 2;

  public PlanMemory {
    activations = Collections.unmodifiableMap(new LinkedHashMap<>(activations));
  }

  /**
   * The memory of a plan.
   *
   * @param stateValues numbers that the optimizer keeps for each parameter
   * @param openPasses passes whose activations are there at once: 1, or more in a pipeline
   */
  public static PlanMemory of(
      LocalNetwork network,
      PlannedGroups groups,
      PlannedStep step,
      int stateValues,
      int openPasses) {
    Count count = new Count(network, step);
    long[] held = count.held(groups, stateValues);
    return new PlanMemory(
        held[0],
        held[1],
        held[2],
        count.activations(openPasses),
        count.underWay(),
        count.exchange());
  }

  /** Outputs that stay, of all layers. */
  public long activationBytes() {
    return activations.values().stream().mapToLong(Long::longValue).sum();
  }

  /** All of it. */
  public long total() {
    return parameters + gradients + state + activationBytes() + underWay + exchange;
  }

  /** Goes through a network. */
  private static final class Count {

    private final LocalNetwork network;
    private final PlannedStep step;
    private final KeptOutputs kept;
    private final Map<String, Shape> shapes;
    private final Map<String, SampleShare> samples;
    private final long most;

    Count(LocalNetwork network, PlannedStep step) {
      this.network = network;
      this.step = step;
      kept = new KeptOutputs(network.spec(), step.frozen());
      shapes = network.spec().shapes();
      samples = SamplesByLayer.of(network);
      most = step.passes().stream().mapToLong(PlannedStep.Pass::samples).max().orElse(0);
    }

    private long bytes(String tensor) {
      return shapes.get(tensor).elements()
          * samples.get(tensor).count(most)
          * step.activations().bytes();
    }

    /** Of parameters and buffers, gradients, and optimizer state. */
    long[] held(PlannedGroups groups, int stateValues) {
      int ranks = groups.mesh().size(Mesh.DATA);
      int rank = groups.mesh().coordinate(groups.rank(), Mesh.DATA);
      long all = 0;
      long rows = 0;
      long largestLayer = 0;
      List<List<Shape>> inputs = network.spec().layerInputs();
      for (int i = 0; i < inputs.size(); i++) {
        long layer = 0;
        for (ParameterSpec parameter :
            network.spec().nodes().get(i).layer().parameters(inputs.get(i))) {
          layer += parameter.shape().elements() * step.parameters().bytes();
          rows += new RowCut(parameter.shape(), step.parameters(), ranks).bytes(rank);
        }
        all += layer;
        largestLayer = Math.max(largestLayer, layer);
      }
      long buffers =
          network.spec().buffers().stream().mapToLong(each -> each.shape().elements()).sum()
              * step.parameters().bytes();
      boolean parameterRows = step.shard().filter(ShardStage.PARAMETERS::equals).isPresent();
      boolean gradientRows =
          step.shard().filter(stage -> stage != ShardStage.OPTIMIZER).isPresent();
      return new long[] {
        buffers + (parameterRows ? rows + WINDOWS * largestLayer : all),
        gradientRows ? rows + WINDOWS * largestLayer : all,
        stateValues * (step.shard().isPresent() ? rows : all)
      };
    }

    Map<String, Long> activations(int openPasses) {
      Map<String, Long> bytes = new LinkedHashMap<>();
      bytes.put(
          NetworkSpec.INPUT,
          shapes.get(NetworkSpec.INPUT).elements()
              * samples.get(NetworkSpec.INPUT).count(most)
              * DType.FLOAT32.bytes());
      for (Node node : network.spec().nodes()) {
        boolean own =
            kept.keeps(node.name()) && !kept.overwrites(node.name()) && !isView(node.layer());
        if (own) {
          bytes.put(node.name(), openPasses * bytes(node.name()));
        }
      }
      return bytes;
    }

    private static boolean isView(LayerSpec layer) {
      return layer instanceof Flatten
          || layer instanceof Tokens
          || (layer instanceof Exchange exchange && exchange.forward().isIdentity());
    }

    /** The gradient of a layer's output, and those of its inputs. */
    long underWay() {
      long largest = 0;
      for (Node node : network.spec().nodes()) {
        if (kept.learns(node.name())) {
          long sum = bytes(node.name());
          for (String input : node.inputs()) {
            sum += kept.learns(input) ? bytes(input) : 0;
          }
          largest = Math.max(largest, sum);
        }
      }
      return largest;
    }

    /** Memory for both directions is kept and grows to what is needed. */
    long exchange() {
      long outgoing = 0;
      long incoming = 0;
      for (Node node : network.spec().nodes()) {
        if (node.layer() instanceof Exchange exchange) {
          for (MovementCost movement :
              List.of(
                  new MovementCost(exchange.forward(), exchange.shape(), most, step.activations()),
                  new MovementCost(
                      exchange.backward(), exchange.shape(), most, step.activations()))) {
            outgoing = Math.max(outgoing, movement.outgoingBytes(exchange.transfer().rank()));
            incoming = Math.max(incoming, movement.incomingBytes(exchange.transfer().rank()));
          }
        }
      }
      return outgoing + incoming;
    }
  }
}
