package dev.tandem.tune;

import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.tune.journal.Journal;
import dev.tandem.tune.journal.JournalFile;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.journal.StudyLock;
import dev.tandem.tune.local.ProcessIdentity;
import dev.tandem.tune.space.SpaceChange;
import dev.tandem.tune.space.SpaceYaml;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/**
 * A study in its folder, driven by this process alone until it is closed: lock, journal and state.
 */
public final class StudySession implements AutoCloseable {

  private final StudyLock lock;
  private final JournalFile journal;
  private final StudySettings settings;
  private final StudyState state;
  private boolean closed;

  private StudySession(
      StudyLock lock, JournalFile journal, StudySettings settings, StudyState state) {
    this.lock = lock;
    this.journal = journal;
    this.settings = settings;
    this.state = state;
  }

  /** Whether a folder holds a study. */
  public static boolean exists(Path folder) {
    return Files.exists(folder.resolve(JournalFile.NAME));
  }

  /** What a folder's study is and how it stands; another process may be driving it. */
  public record Reading(StudySettings settings, StudyState state, List<JournalRecord> records) {

    /** Reads a folder. */
    public static Reading of(Path folder) {
      if (!exists(folder)) {
        throw new UsageException(
            "%s is not the folder of a study: there is no %s".formatted(folder, JournalFile.NAME));
      }
      List<JournalRecord> records =
          JournalFile.readOnly(DurableFiles.system(), folder.resolve(JournalFile.NAME));
      StudySettings settings = StudySession.settings(folder, records);
      return new Reading(settings, StudyState.of(settings, records), records);
    }
  }

  /** Begins a study in a folder that has none. */
  public static StudySession begin(Path folder, StudySettings settings, Consumer<String> notes) {
    DurableFiles.system().createFolders(folder);
    StudyLock lock = StudyLock.take(folder);
    try {
      if (exists(folder)) {
        throw new UsageException(
            "%s holds a study; go on with it by --resume, or begin another by --name"
                .formatted(folder));
      }
      JournalFile journal = open(folder, notes);
      journal.append(settings.record());
      journal.append(driver());
      journal.sync();
      return new StudySession(
          lock, journal, settings, new StudyState(settings.direction(), settings.metric()));
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /**
   * Goes on with a study. Processes that its driver left behind are ended, and their trials wait to
   * be run again.
   *
   * @param wanted what it is to be now; its space may be larger
   */
  public static StudySession resume(Path folder, StudySettings wanted, Consumer<String> notes) {
    if (!exists(folder)) {
      throw new UsageException(
          "%s: there is no study to go on with; begin it without --resume".formatted(folder));
    }
    StudyLock lock = StudyLock.take(folder);
    try {
      JournalFile journal = open(folder, notes);
      try {
        StudySettings begun = settings(folder, journal.read());
        wanted.requireSame(begun);
        SpaceChange.require(begun.space(), wanted.space());
        StudyState state = StudyState.of(begun, journal.read());
        journal.append(driver());
        if (!wanted.space().equals(begun.space())) {
          journal.append(new JournalRecord.SpaceChanged(SpaceYaml.write(wanted.space())));
        }
        endLeftOvers(journal, state);
        journal.sync();
        return new StudySession(lock, journal, wanted, state);
      } catch (RuntimeException e) {
        journal.close();
        throw e;
      }
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static JournalFile open(Path folder, Consumer<String> notes) {
    return JournalFile.open(DurableFiles.system(), folder.resolve(JournalFile.NAME), notes);
  }

  /** The settings of a journal, with the space as it was changed last. */
  private static StudySettings settings(Path folder, List<JournalRecord> records) {
    if (records.isEmpty() || !(records.getFirst() instanceof JournalRecord.Study study)) {
      throw new UsageException("%s: the journal does not begin with a study".formatted(folder));
    }
    StudySettings settings = StudySettings.of(study);
    for (JournalRecord record : records) {
      if (record instanceof JournalRecord.SpaceChanged changed) {
        settings = settings.with(SpaceYaml.read(changed.space(), parameter -> ""));
      }
    }
    return settings;
  }

  private static JournalRecord.Driver driver() {
    return new JournalRecord.Driver(
        0,
        StudyLock.host(),
        ProcessHandle.current().pid(),
        ProcessIdentity.ownStart(),
        Instant.now().toEpochMilli());
  }

  private static void endLeftOvers(Journal journal, StudyState state) {
    for (long trial = 0; trial < state.asked(); trial++) {
      if (state.ended(trial) || state.lastStart(trial).isEmpty()) {
        continue;
      }
      JournalRecord.Started last = state.lastStart(trial).get();
      ProcessIdentity.endLeftOver(last.pid(), last.pidStart(), "TANDEM_TRIAL=" + trial);
      journal.append(
          new JournalRecord.Ended(
              trial,
              last.attempt(),
              JournalRecord.Ended.RETRIED,
              Double.NaN,
              false,
              "its driver ended",
              0,
              Double.NaN,
              Instant.now().toEpochMilli()));
    }
  }

  public StudySettings settings() {
    return settings;
  }

  /** Its journal, for the loop that drives it. */
  public Journal journal() {
    return journal;
  }

  /** How it stood when this session began; the loop changes it. */
  public StudyState state() {
    return state;
  }

  /** Any thread; one that comes while another closes it returns when that is done. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (lock) {
      journal.close();
    }
  }
}
