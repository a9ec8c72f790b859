package dev.tandem.data.read;

import dev.tandem.core.UsageException;

/**
 * What can be set for modes; each mode takes what concerns it.
 *
 * @param roots root readers a host
 * @param budget bytes of memory that a host's readers may use for data under way; 0 for what was
 *     found best
 * @param group roots that read at a time, of all hosts
 */
public record ModeSettings(int roots, Requests requests, long budget, int group) {

  /** What was found good; see docs/reading.md. */
  public static final ModeSettings DEFAULT =
      new ModeSettings(1, new Requests(1 << 19, 8, Requests.Route.DIRECT), 0, 1);

  public ModeSettings {
    if (roots < 1 || budget < 0 || group < 1) {
      throw new UsageException(
          "%d roots, a budget of %d bytes, groups of %d: roots and groups must be positive"
              .formatted(roots, budget, group));
    }
  }

  /** A mode with these settings. */
  public ReadMode mode(String code) {
    return switch (code) {
      case "lmdb" -> new ReadMode.Lmdb();
      case "lmm" -> new ReadMode.LocalMap(roots);
      case "dm" -> new ReadMode.DistributedMap(roots);
      case "dio" -> new ReadMode.DirectSeek(roots, requests);
      case "prov" -> new ReadMode.Indexed(roots, requests);
      case "coal" -> new ReadMode.Coalesced(roots, requests, budget);
      case "stag" -> new ReadMode.Staggered(roots, requests, budget, group);
      case "auto" -> new ReadMode.Automatic();
      default ->
          throw new UsageException(
              "there is no mode '%s'; there are %s".formatted(code, ReadMode.CODES));
    };
  }

  ModeSettings withRoots(int number) {
    return new ModeSettings(number, requests, budget, group);
  }
}
