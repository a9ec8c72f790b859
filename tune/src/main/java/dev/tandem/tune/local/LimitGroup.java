package dev.tandem.tune.local;

import dev.tandem.core.TandemException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.ControlGroup;
import dev.tandem.posix.GroupLimit;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Limits.Enforcement;
import dev.tandem.tune.task.Needs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The control group of an attempt, with those of its limits that this machine can keep. */
final class LimitGroup {

  private static final Duration PERIOD = Duration.ofMillis(100);

  /** What was said: a machine that cannot keep a limit is the same for all trials. */
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  private LimitGroup() {}

  /**
   * A group, if anything is to be limited.
   *
   * @param notes hears, once, of a limit that cannot be kept
   * @throws WorkFailedException if a limit that must be kept cannot be
   */
  static Optional<ControlGroup> of(
      Attempt attempt, Needs needs, Limits limits, Consumer<String> notes) {
    if (limits.enforcement() == Enforcement.NEVER) {
      return Optional.empty();
    }
    List<GroupLimit> kept = new ArrayList<>();
    for (GroupLimit limit : wanted(needs, limits)) {
      Optional<String> missing = ControlGroup.missing(limit);
      if (missing.isEmpty()) {
        kept.add(limit);
      } else if (limits.enforcement() == Enforcement.ALWAYS) {
        throw new WorkFailedException("limits cannot be enforced: " + missing.get());
      } else if (!(limit instanceof GroupLimit.Processors) && SAID.add(missing.get())) {
        // Processors are pinned anyway.
        notes.accept("not limited: " + missing.get());
      }
    }
    if (kept.isEmpty()) {
      return Optional.empty();
    }
    try {
      String name = "%s-%d-%d".formatted(plain(attempt), attempt.task().number(), attempt.number());
      return Optional.of(ControlGroup.with(name, kept));
    } catch (TandemException e) {
      if (limits.enforcement() == Enforcement.ALWAYS) {
        throw e;
      }
      if (SAID.add("failed")) {
        notes.accept("not limited: " + e.getMessage());
      }
      return Optional.empty();
    }
  }

  private static String plain(Attempt attempt) {
    return attempt.task().study().replaceAll("[^A-Za-z0-9_.-]", "_");
  }

  private static List<GroupLimit> wanted(Needs needs, Limits limits) {
    List<GroupLimit> wanted = new ArrayList<>();
    if (needs.memoryBytes() > 0) {
      wanted.add(new GroupLimit.Memory(needs.memoryBytes() * needs.ranks()));
    }
    if (limits.processes() > 0) {
      wanted.add(new GroupLimit.Tasks(limits.processes()));
    }
    if (needs.cores() > 0) {
      wanted.add(new GroupLimit.Processors((double) needs.cores() * needs.ranks(), PERIOD));
    }
    return wanted;
  }
}
