package dev.tandem.data.read.mode;

import dev.tandem.core.UsageException;
import dev.tandem.data.read.request.Requests;

/**
 * What can be set for modes; each mode takes what concerns it.
 *
 * @param roots root readers per host; mode lmdb has no others
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

  /** The same with bytes coming another way. */
  ModeSettings through(Requests.Route route) {
    Requests other = new Requests(requests.block(), requests.queueDepth(), route);
    return new ModeSettings(roots, other, budget, group);
  }
}
