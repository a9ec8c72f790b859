package dev.tandem.tune;

import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Whether there is room for the files of trials. One thread. */
final class DiskRoom {

  private final TrialStorage storage;
  private final Map<Long, String> waiting;
  private final Consumer<String> notes;
  private Optional<String> missing = Optional.empty();

  /**
   * The room of a study.
   *
   * @param waiting what trials wait for, by their numbers
   * @param notes hears when room begins to lack, and when there is some again
   */
  DiskRoom(TrialStorage storage, Map<Long, String> waiting, Consumer<String> notes) {
    this.storage = storage;
    this.waiting = waiting;
    this.notes = notes;
  }

  /** Looks whether a trial may start. */
  boolean enough(long trial) {
    Optional<String> now = storage.missingRoom();
    now.ifPresentOrElse(what -> waiting.put(trial, what), () -> waiting.remove(trial));
    if (now.isPresent() != missing.isPresent()) {
      notes.accept(
          now.map(what -> "no trial starts until there is " + what)
              .orElse("there is room for trials again"));
    }
    missing = now;
    return now.isEmpty();
  }

  /** Whether a trial waits for room. */
  boolean lacking() {
    return missing.isPresent();
  }

  /** Nothing is to start any more. */
  void ignore() {
    missing = Optional.empty();
  }
}
