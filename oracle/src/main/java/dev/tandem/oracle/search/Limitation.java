package dev.tandem.oracle.search;

import dev.tandem.oracle.projection.Candidate;
import dev.tandem.oracle.projection.Phase;
import dev.tandem.oracle.projection.Projection;
import dev.tandem.parallel.cost.PlanMemory;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.rule.Space;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What limits a way to train, as the ParaDL study's table 4.6 sorts it: limitations belong to the
 * strategy itself, bottlenecks to how it is made or to the machine.
 *
 * @param category communication, memory, computation or scaling
 * @param kind limitation or bottleneck
 * @param what in few words
 * @param phases in which it appears: IO, FB, GE, WU
 * @param inference whether it appears in inference, too
 * @param share of the iteration, or of the memory; what counts most has the largest
 * @param detail numbers and advice, for people
 */
public record Limitation(
    Category category,
    Kind kind,
    String what,
    List<Phase.Part> phases,
    boolean inference,
    double share,
    String detail) {

  /** What is short. */
  public enum Category {
    COMMUNICATION,
    MEMORY,
    COMPUTATION,
    SCALING
  }

  /** Where it comes from. */
  public enum Kind {
    LIMITATION,
    BOTTLENECK
  }

  /** Below this share it is not worth a line. */
  private static final double NOTABLE = 0.1;

  /** From this share of a device's memory on allocations get in each other's way. */
  private static final double FULL = 0.9;

  private static final List<Phase.Part> ALL = List.of(Phase.Part.values());
  private static final List<Phase.Part> PASSES = List.of(Phase.Part.PASSES);
  private static final List<Phase.Part> EXCHANGED =
      List.of(Phase.Part.PASSES, Phase.Part.GRADIENTS);
  private static final List<Phase.Part> GRADIENTS = List.of(Phase.Part.GRADIENTS);
  private static final List<Phase.Part> UPDATE = List.of(Phase.Part.UPDATE);

  public Limitation {
    phases = List.copyOf(phases);
  }

  /**
   * All that is notable, what counts most first.
   *
   * @param memoryBytes of a device
   * @param limits how many devices each axis can have
   */
  public static List<Limitation> of(Projection projection, double memoryBytes, Limits limits) {
    List<Limitation> all = new ArrayList<>();
    communication(projection, all);
    memory(projection, memoryBytes, all);
    computation(projection, all);
    scaling(projection.candidate().mesh(), limits, all);
    all.sort(Comparator.comparingDouble(each -> -each.share()));
    return all;
  }

  private static void communication(Projection projection, List<Limitation> all) {
    Candidate candidate = projection.candidate();
    double gradients = share(projection, Phase.GRADIENTS) + share(projection, Phase.PARAMETERS);
    add(
        all,
        Category.COMMUNICATION,
        Kind.LIMITATION,
        "gradient exchange",
        GRADIENTS,
        false,
        gradients,
        "of the iteration; larger batches per device make it rarer");
    double layers = share(projection, Phase.EXCHANGE) + share(projection, Phase.STATISTICS);
    boolean space =
        candidate.mesh().inner().stream().allMatch(axis -> Space.NAMES.contains(axis.name()));
    if (space) {
      add(
          all,
          Category.COMMUNICATION,
          Kind.BOTTLENECK,
          "messages between neighbours",
          EXCHANGED,
          true,
          layers,
          "of the iteration; many short messages: their latency counts");
    } else {
      add(
          all,
          Category.COMMUNICATION,
          Kind.LIMITATION,
          "layer-wise communication",
          PASSES,
          true,
          layers,
          "of the iteration; fewer ranks along the axis that splits layers have less");
    }
    add(
        all,
        Category.COMMUNICATION,
        Kind.BOTTLENECK,
        "input",
        List.of(Phase.Part.INPUT),
        true,
        share(projection, Phase.INPUT),
        "of the iteration waits for samples");
  }

  private static void memory(Projection projection, double memoryBytes, List<Limitation> all) {
    PlanMemory memory = projection.memory();
    Candidate candidate = projection.candidate();
    int data = candidate.mesh().size(Mesh.DATA);
    boolean space =
        candidate.mesh().inner().stream().anyMatch(axis -> Space.NAMES.contains(axis.name()));
    if ((data > 1 && candidate.shard().isEmpty()) || space) {
      double copies = memory.parameters() + memory.gradients() + memory.state();
      add(
          all,
          Category.MEMORY,
          Kind.BOTTLENECK,
          "memory redundancy",
          ALL,
          true,
          copies / memory.total(),
          "of the memory are parameters, gradients and state that other devices have, too: shard"
              + " them (--strategy sharded)");
    }
    double full = memory.total() / memoryBytes;
    if (full > FULL) {
      all.add(
          new Limitation(
              Category.MEMORY,
              Kind.BOTTLENECK,
              "memory stalling",
              ALL,
              true,
              full,
              percent(full) + " of a device's memory is needed: less leaves room for caches"));
    }
  }

  private static void computation(Projection projection, List<Limitation> all) {
    add(
        all,
        Category.COMPUTATION,
        Kind.LIMITATION,
        "weight update",
        UPDATE,
        false,
        share(projection, Phase.UPDATE),
        "of the iteration on every rank: shard the optimizer");
    add(
        all,
        Category.COMPUTATION,
        Kind.LIMITATION,
        "workload balancing",
        PASSES,
        true,
        share(projection, Phase.IDLE),
        "of the iteration stages wait: unequal stages or too few pieces");
    add(
        all,
        Category.COMPUTATION,
        Kind.BOTTLENECK,
        "computation redundancy",
        PASSES,
        true,
        projection.replicated() * passes(projection),
        "of the iteration are layers that every rank computes whole");
    add(
        all,
        Category.COMPUTATION,
        Kind.BOTTLENECK,
        "packing of split tensors",
        PASSES,
        true,
        share(projection, Phase.COPY),
        "of the iteration");
    Optional<Projection.LayerSpan> slowest =
        projection.layers().stream()
            .max(Comparator.comparingDouble(layer -> layer.forward() + layer.backward()));
    double computing = passes(projection);
    slowest.ifPresent(
        layer ->
            add(
                all,
                Category.COMPUTATION,
                Kind.LIMITATION,
                "compute rate",
                PASSES,
                true,
                computing,
                "of the iteration, %s of it at %s: faster or more devices"
                    .formatted(
                        percent(
                            (layer.forward() + layer.backward())
                                / Math.max(1e-12, computing * projection.iteration())),
                        layer.layer())));
  }

  private static double passes(Projection projection) {
    return share(projection, Phase.FORWARD) + share(projection, Phase.BACKWARD);
  }

  private static void scaling(Mesh mesh, Limits limits, List<Limitation> all) {
    for (Mesh.Axis axis : mesh.axes()) {
      Limits.Limit limit = limits.of(axis.name());
      if (axis.size() > 1 && 2L * axis.size() > limit.most()) {
        all.add(
            new Limitation(
                Category.SCALING,
                Kind.LIMITATION,
                "number of devices",
                ALL,
                true,
                NOTABLE,
                "%s goes no further than %,d: %s"
                    .formatted(axis.name(), limit.most(), limit.reason())));
      }
    }
  }

  private static double share(Projection projection, Phase phase) {
    double all = projection.iteration();
    return all == 0 ? 0 : projection.seconds().get(phase) / all;
  }

  private static void add(
      List<Limitation> all,
      Category category,
      Kind kind,
      String what,
      List<Phase.Part> phases,
      boolean inference,
      double share,
      String detail) {
    if (share > NOTABLE) {
      all.add(
          new Limitation(
              category, kind, what, phases, inference, share, percent(share) + " " + detail));
    }
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f%%", 100 * share);
  }

  /** One line. */
  public String text() {
    return "%s %s (%s), %s: %s"
        .formatted(
            category.name().toLowerCase(Locale.ROOT),
            kind.name().toLowerCase(Locale.ROOT),
            String.join(", ", phases.stream().map(Phase.Part::code).toList()),
            what,
            detail);
  }
}
