package dev.tandem.tune;

import java.util.Map;

/** Hears how a study goes; called by the thread that drives it. */
public interface StudyWatcher {

  /** Nobody. */
  StudyWatcher NONE =
      new StudyWatcher() {
        @Override
        public void changed(StudyState state, int running, Map<Long, String> waiting) {}

        @Override
        public void note(String line) {}
      };

  /**
   * Something has happened.
   *
   * @param running trials that run or wait for room
   * @param waiting what trials wait for that cannot start yet, by their numbers
   */
  void changed(StudyState state, int running, Map<Long, String> waiting);

  /** Something a person should know, in one line. */
  void note(String line);
}
