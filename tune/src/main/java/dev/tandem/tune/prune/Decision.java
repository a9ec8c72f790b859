package dev.tandem.tune.prune;

/** What becomes of a trial after a report. */
public sealed interface Decision {

  /** It goes on. */
  record GoOn() implements Decision {}

  /**
   * It ends, as pruned.
   *
   * @param reason in one line
   */
  record Stop(String reason) implements Decision {}

  /**
   * It ends for now, as soon as it has saved a checkpoint of this step or a later one; it may be
   * continued from there.
   */
  record Pause(long step) implements Decision {}

  /** It goes on. */
  Decision GO_ON = new GoOn();
}
