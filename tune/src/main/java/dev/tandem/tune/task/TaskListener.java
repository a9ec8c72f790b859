package dev.tandem.tune.task;

import dev.tandem.tune.prune.Decision;
import java.util.Map;

/**
 * Hears how a task goes. Called by threads of the engine, for one task one call at a time; what it
 * throws fails the task.
 */
public interface TaskListener {

  /**
   * It waits for room. Called when that begins or changes, also from other threads than the other
   * calls, perhaps when it has started meanwhile.
   *
   * @param what such as "2 cores; 1 is free"
   */
  void waits(String what);

  /** An attempt has started. */
  void started(Attempt attempt);

  /**
   * It reported.
   *
   * @param metrics by name, in the order in which they were said
   * @return what becomes of it
   */
  Decision report(Attempt attempt, long step, Map<String, Double> metrics);

  /** A checkpoint of it is whole. */
  void checkpoint(Attempt attempt, long step, String path);

  /** Something the user should know that changes nothing, such as a limit that cannot be kept. */
  void note(Attempt attempt, String text);

  /** It has ended. The last call for an attempt. */
  void ended(Attempt attempt, Ending ending);
}
