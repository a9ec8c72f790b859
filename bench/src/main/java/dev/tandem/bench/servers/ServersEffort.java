package dev.tandem.bench.servers;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * How much is measured.
 *
 * @param rounds of turns, with 2 ranks and with 4
 * @param steps of a turn
 * @param limit for one number of ranks, from the start of its processes: no round but the first
 *     begins that would end later
 */
public record ServersEffort(int rounds, int steps, Duration limit) {

  /** For figures to rely on. */
  public static final ServersEffort FULL = new ServersEffort(5, 200, Duration.ofMinutes(10));

  /** Within 75 seconds. */
  public static final ServersEffort QUICK = new ServersEffort(3, 40, Duration.ofSeconds(24));

  public ServersEffort withRounds(int count) {
    return new ServersEffort(count, steps, limit);
  }

  /** As arguments of a rank, behind the folder of the samples. */
  List<String> arguments(String folder) {
    return List.of(folder, Integer.toString(rounds), Integer.toString(steps), limit.toString());
  }

  static ServersEffort of(String[] arguments) {
    return new ServersEffort(
        Integer.parseInt(arguments[1]),
        Integer.parseInt(arguments[2]),
        Duration.parse(arguments[3].toUpperCase(Locale.ROOT)));
  }
}
