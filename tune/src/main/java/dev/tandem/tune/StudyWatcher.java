package dev.tandem.tune;

/** Hears how a study goes; called by the thread that drives it. */
public interface StudyWatcher {

  /** Nobody. */
  StudyWatcher NONE =
      new StudyWatcher() {
        @Override
        public void changed(StudyState state, int running) {}

        @Override
        public void note(String line) {}
      };

  /**
   * Something has happened.
   *
   * @param running trials that run or wait for room
   */
  void changed(StudyState state, int running);

  /** Something a person should know, in one line. */
  void note(String line);
}
