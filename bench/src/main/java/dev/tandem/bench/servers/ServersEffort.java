package dev.tandem.bench.servers;

import dev.tandem.core.UsageException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How much is measured.
 *
 * @param rounds of turns, with 2 ranks and with 4
 * @param steps of a turn
 * @param staleness those that servers and proxies are tried with
 * @param limit for one number of ranks, from the start of its processes: no round but the first
 *     begins that would end later
 */
public record ServersEffort(int rounds, int steps, List<Integer> staleness, Duration limit) {

  private static final List<Integer> STALENESS = List.of(0, 2, 8);

  /** For figures to rely on. */
  public static final ServersEffort FULL =
      new ServersEffort(5, 200, STALENESS, Duration.ofMinutes(10));

  /** Within 75 seconds. */
  public static final ServersEffort QUICK =
      new ServersEffort(3, 40, STALENESS, Duration.ofSeconds(24));

  public ServersEffort {
    staleness = List.copyOf(staleness);
    if (rounds < 1) {
      throw new UsageException("at least 1 round is measured, not " + rounds);
    }
    if (staleness.isEmpty() || staleness.stream().anyMatch(one -> one < 0)) {
      throw new UsageException("a staleness is 0 or more, not " + staleness);
    }
    if (staleness.stream().distinct().count() < staleness.size()) {
      throw new UsageException("each staleness is named once, not as in " + staleness);
    }
  }

  public ServersEffort withRounds(int count) {
    return new ServersEffort(count, steps, staleness, limit);
  }

  public ServersEffort withStaleness(List<Integer> others) {
    return new ServersEffort(rounds, steps, others, limit);
  }

  /** As arguments of a rank, after the folder of the samples. */
  List<String> arguments(String folder) {
    return List.of(
        folder,
        Integer.toString(rounds),
        Integer.toString(steps),
        staleness.stream().map(String::valueOf).collect(Collectors.joining(",")),
        limit.toString());
  }

  static ServersEffort of(String[] arguments) {
    return new ServersEffort(
        Integer.parseInt(arguments[1]),
        Integer.parseInt(arguments[2]),
        Arrays.stream(arguments[3].split(",", -1)).map(Integer::valueOf).toList(),
        Duration.parse(arguments[4].toUpperCase(Locale.ROOT)));
  }
}
