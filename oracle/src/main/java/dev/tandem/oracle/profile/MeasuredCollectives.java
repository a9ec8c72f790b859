package dev.tandem.oracle.profile;

import dev.tandem.comm.collective.Allgather;
import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.CollectiveSettings;
import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.collective.ReduceScatter;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import dev.tandem.oracle.collective.CollectiveSeconds;
import dev.tandem.oracle.collective.Group;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What collectives take on the machine of a profile: measured ones between the lengths that were
 * measured, in factors of length; groups of other sizes by the steps and bytes of the collectives'
 * own formulas. Groups that do the same at the same time share what moves their bytes. Immutable.
 */
public final class MeasuredCollectives implements CollectiveSeconds {

  /** Measurements of one operation in groups of one size, ascending by bytes. */
  @SuppressWarnings("ArrayRecordComponent") // not compared, and not changed
  private record Curve(int ranks, int flows, long[] bytes, double[] seconds) {

    /** What a call takes however short it is. */
    double latency() {
      return seconds[0];
    }

    double at(double length) {
      int last = bytes.length - 1;
      if (length <= bytes[0] || last == 0) {
        return seconds[0];
      }
      int above = 1;
      while (above < last && bytes[above] < length) {
        above++;
      }
      double below = bytes[above - 1];
      if (length > bytes[last]) {
        double perByte = Math.max(0, (seconds[last] - seconds[above - 1]) / (bytes[last] - below));
        return seconds[last] + perByte * (length - bytes[last]);
      }
      double share = Math.log(length / below) / Math.log(bytes[above] / below);
      return seconds[above - 1] * Math.pow(seconds[above] / seconds[above - 1], share);
    }
  }

  private final Map<Operation, List<Curve>> curves = new EnumMap<>(Operation.class);

  /** Of what a profile has. */
  public MeasuredCollectives(Profile profile) {
    Map<Operation, List<Profile.Collective>> measured =
        profile.collectives().stream()
            .collect(Collectors.groupingBy(each -> operation(each.operation())));
    measured.forEach((operation, rows) -> curves.put(operation, curves(rows)));
  }

  private static List<Curve> curves(List<Profile.Collective> rows) {
    record Key(int ranks, int flows) {}
    Map<Key, List<Profile.Collective>> byGroup =
        rows.stream().collect(Collectors.groupingBy(row -> new Key(row.ranks(), row.flows())));
    List<Curve> curves = new ArrayList<>();
    byGroup.forEach(
        (key, group) -> {
          List<Profile.Collective> sorted =
              group.stream().sorted(Comparator.comparingLong(Profile.Collective::bytes)).toList();
          curves.add(
              new Curve(
                  key.ranks,
                  key.flows,
                  // The logarithm of nothing is not wanted.
                  sorted.stream().mapToLong(row -> Math.max(1, row.bytes())).toArray(),
                  sorted.stream().mapToDouble(Profile.Collective::seconds).toArray()));
        });
    return curves;
  }

  private static Operation operation(String word) {
    return Operation.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /** Whether a profile may have this word. */
  static boolean isOperation(String word) {
    return Arrays.stream(Operation.values()).anyMatch(each -> word(each).equals(word));
  }

  /** All words. */
  static String words() {
    return Arrays.stream(Operation.values())
        .map(MeasuredCollectives::word)
        .collect(Collectors.joining(", "));
  }

  /** As a profile has it. */
  public static String word(Operation operation) {
    return operation.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public double of(Operation operation, Group group, long bytes, int messages) {
    if (group.ranks() == 1) {
      return 0;
    }
    int ranks = operation == Operation.SEND ? 2 : group.ranks();
    Curve curve =
        curves.getOrDefault(operation, List.of()).stream()
            .min(
                Comparator.<Curve>comparingDouble(
                        each -> Math.abs(Math.log((double) each.ranks / ranks)))
                    .thenComparingDouble(
                        each -> Math.abs(Math.log((double) each.flows / group.flows()))))
            .orElseThrow(
                () ->
                    new UsageException(
                        "the profile has no %s: make it again with ./tandem profile"
                            .formatted(word(operation))));
    double measured = curve.at((double) Math.max(1, bytes));
    double latency = Math.min(curve.latency(), measured);
    double moving = measured - latency;
    if (curve.ranks != ranks) {
      Cost wanted = cost(operation, ranks, bytes);
      Cost known = cost(operation, curve.ranks, bytes);
      latency *= ratio(wanted.steps(), known.steps());
      // The ranks share the memory of their host: what counts is what all of them move.
      moving *= ratio(ranks * wanted.bytesSent(), curve.ranks * known.bytesSent());
    }
    moving *= (double) group.flows() / curve.flows;
    int usual = operation == Operation.EXCHANGE ? ranks - 1 : 1;
    int more = operation == Operation.EXCHANGE || operation == Operation.SEND ? messages : usual;
    return latency * Math.max(1, (double) more / usual) + moving;
  }

  private static double ratio(long wanted, long known) {
    return known == 0 || wanted == 0 ? 1 : (double) wanted / known;
  }

  /** By the formulas, among ranks of one host. */
  private static Cost cost(Operation operation, int ranks, long bytes) {
    TeamPosition position = new TeamPosition(0, ranks, true);
    long[] lengths = new long[ranks];
    Arrays.fill(lengths, Math.ceilDiv(bytes, ranks));
    return switch (operation) {
      case ALLREDUCE -> {
        CollectiveSettings settings = CollectiveSettings.DEFAULT;
        yield Allreduce.cost(
            position,
            bytes,
            DType.FLOAT32,
            settings.allreduce(position, bytes, settings.determinism()));
      }
      case ALLGATHER -> Allgather.cost(position, lengths);
      case REDUCE_SCATTER -> ReduceScatter.cost(position, lengths);
      case EXCHANGE -> new Cost(ranks - 1L, bytes);
      case SEND -> new Cost(1, bytes);
    };
  }
}
