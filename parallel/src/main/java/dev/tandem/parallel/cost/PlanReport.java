package dev.tandem.parallel.cost;

import dev.tandem.comm.collective.Cost;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.cost.PlanTraffic.Kind;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A plan as a table for people: what a rank has of each layer, what travels before it, what the
 * rank sends for it in a step and keeps of it; then sums, and what fell back.
 */
public record PlanReport(
    Mesh mesh,
    int rank,
    LocalNetwork network,
    PlanTraffic traffic,
    StepTraffic step,
    PlanMemory memory) {

  private static final List<String> HEADINGS =
      List.of("layer", "mode", "local output", "exchange", "sends", "gradients", "keeps");

  /** Columns with numbers. */
  private static final int FIRST_NUMBER = 4;

  /** What the rank sends in a step, all in all. */
  public Cost sent() {
    return traffic.total().then(step.total());
  }

  /** The lines. */
  public List<String> lines() {
    List<List<String>> rows = new ArrayList<>(List.of(HEADINGS));
    Map<String, Node> nodes = new LinkedHashMap<>();
    network.spec().nodes().forEach(node -> nodes.put(node.name(), node));
    Map<String, Shape> shapes = network.spec().shapes();
    Set<String> told = new HashSet<>();
    for (Node node : nodes.values()) {
      if (!(node.layer() instanceof Exchange)) {
        List<Exchange> before = new ArrayList<>();
        node.inputs().forEach(input -> collect(nodes, input, told, before));
        rows.add(row(node, shapes.get(node.name()), before));
      }
    }
    for (Node node : nodes.values()) {
      if (node.layer() instanceof Exchange exchange && !told.contains(node.name())) {
        rows.add(row(node, shapes.get(node.name()), List.of(exchange)));
      }
    }
    List<String> lines = new ArrayList<>();
    lines.add("plan of rank %d of %d (%s)".formatted(rank, mesh.size(), mesh));
    lines.addAll(table(rows));
    lines.add(
        "sends per step: %s (activations %s, their gradients %s, statistics %s, gradients %s,"
                .formatted(
                    bytes(sent().bytesSent()),
                    bytes(traffic.total(Kind.FORWARD).bytesSent()),
                    bytes(traffic.total(Kind.BACKWARD).bytesSent()),
                    bytes(traffic.total(Kind.STATISTICS).bytesSent()),
                    bytes(traffic.total(Kind.GRADIENTS).bytesSent()))
            + " parameters %s, samples %s, loss %s, norms %s, stop requests %s)"
                .formatted(
                    bytes(traffic.total(Kind.PARAMETERS).bytesSent()),
                    bytes(step.samples().bytesSent()),
                    bytes(step.loss().bytesSent()),
                    bytes(step.norms().bytesSent()),
                    bytes(step.requests().bytesSent())));
    lines.add(
        "memory: %s (parameters %s, gradients %s, optimizer %s, activations %s, under way %s,"
                .formatted(
                    bytes(memory.total()),
                    bytes(memory.parameters()),
                    bytes(memory.gradients()),
                    bytes(memory.state()),
                    bytes(memory.activationBytes()),
                    bytes(memory.underWay()))
            + " exchanges %s)".formatted(bytes(memory.exchange())));
    network.notes().forEach(note -> lines.add("note: " + note));
    return lines;
  }

  /** The exchanges that lead to a tensor and were not told yet, the first first. */
  private static void collect(
      Map<String, Node> nodes, String tensor, Set<String> told, List<Exchange> before) {
    Node node = nodes.get(tensor);
    if (node != null && node.layer() instanceof Exchange exchange && told.add(tensor)) {
      node.inputs().forEach(input -> collect(nodes, input, told, before));
      before.add(exchange);
    }
  }

  private List<String> row(Node node, Shape shape, List<Exchange> exchanges) {
    String words =
        exchanges.stream()
            .map(PlanReport::words)
            .filter(each -> !each.isEmpty())
            .collect(Collectors.joining("; "));
    long sends = 0;
    long keeps = memory.activations().getOrDefault(node.name(), 0L);
    for (Exchange exchange : exchanges) {
      if (!exchange.name().equals(node.name())) {
        sends += sends(exchange.name());
        keeps += memory.activations().getOrDefault(exchange.name(), 0L);
      }
    }
    sends += sends(node.name());
    long gradients = sent(node.name(), Kind.GRADIENTS) + sent(node.name(), Kind.PARAMETERS);
    return List.of(
        node.name(),
        mode(node.name()),
        shape.toString(),
        words,
        sends == 0 ? "" : bytes(sends),
        gradients == 0 ? "" : bytes(gradients),
        keeps == 0 ? "" : bytes(keeps));
  }

  private String mode(String layer) {
    return network.modes().getOrDefault(layer, Map.of()).values().stream()
        .map(Mode::word)
        .distinct()
        .collect(Collectors.joining("/"));
  }

  private long sends(String layer) {
    return sent(layer, Kind.FORWARD) + sent(layer, Kind.BACKWARD) + sent(layer, Kind.STATISTICS);
  }

  private long sent(String layer, Kind kind) {
    return traffic.items().stream()
        .filter(item -> item.layer().equals(layer) && item.kind() == kind)
        .mapToLong(item -> item.cost().bytesSent())
        .sum();
  }

  private static String words(Exchange exchange) {
    return switch (exchange.role()) {
      case SEND -> "send";
      case RECEIVE -> "receive";
      case WITHIN -> {
        String forward = words(exchange.forward());
        String backward = words(exchange.backward());
        yield forward.equals(backward) ? forward : forward + " / " + backward;
      }
    };
  }

  private static String words(Movement movement) {
    return switch (movement.collective()) {
      case IDENTITY -> "-";
      case LOCAL -> "slice";
      case EXCHANGE -> "exchange";
      case ALLGATHER -> "allgather";
      case REDUCE_SCATTER -> "reduce-scatter";
      case ALLREDUCE -> "allreduce";
    };
  }

  private static List<String> table(List<List<String>> rows) {
    int[] widths = new int[HEADINGS.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String alignment = i < FIRST_NUMBER ? "-" : "";
        line.append(("%" + alignment + widths[i] + "s  ").formatted(row.get(i)));
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  /** With a unit, as in the lines. */
  public static String bytes(long bytes) {
    double value = (double) bytes;
    for (String unit : List.of("B", "KiB", "MiB")) {
      if (value < 1024) {
        return String.format(Locale.ROOT, unit.equals("B") ? "%.0f %s" : "%.1f %s", value, unit);
      }
      value /= 1024;
    }
    return String.format(Locale.ROOT, "%.1f GiB", value);
  }
}
