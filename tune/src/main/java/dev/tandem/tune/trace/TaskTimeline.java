package dev.tandem.tune.trace;

import dev.tandem.tune.journal.JournalRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * When the attempts of a study ran, and on which processors. An attempt whose driver was killed
 * ends with the last that is known of that driver.
 *
 * @param bars in the order of their starts
 * @param drivers when processes began to drive the study, in seconds
 * @param seconds from the beginning to the last record with a time
 */
public record TaskTimeline(List<Bar> bars, List<Double> drivers, double seconds) {

  /** How an attempt stands that has not ended. */
  public static final String RUNNING = "RUNNING";

  /** How an attempt ended whose driver ended before it. */
  public static final String DRIVER_LOST = "LOST";

  /**
   * One attempt.
   *
   * @param cores the processors it had to itself; empty if none
   * @param from seconds since the study began
   * @param to the same; if it runs, the last that is known of the study
   * @param state how it ended
   * @param reason in one line; empty if there is none
   */
  public record Bar(
      long trial,
      int attempt,
      String node,
      List<Integer> cores,
      List<Integer> gpus,
      double from,
      double to,
      String state,
      String reason) {

    public Bar {
      cores = List.copyOf(cores);
      gpus = List.copyOf(gpus);
    }
  }

  public TaskTimeline {
    bars = List.copyOf(bars);
    drivers = List.copyOf(drivers);
  }

  /** One attempt of one trial. */
  private record Key(long trial, int attempt) {}

  /** Reads the records of a journal, the first of which is the study. */
  public static TaskTimeline of(List<JournalRecord> records) {
    long began = 0;
    long last = 0;
    List<Double> drivers = new ArrayList<>();
    Map<Key, JournalRecord.Started> open = new LinkedHashMap<>();
    Map<Key, Bar> bars = new LinkedHashMap<>();
    for (JournalRecord record : records) {
      switch (record) {
        case JournalRecord.Study study -> {
          began = study.time();
          last = study.time();
        }
        case JournalRecord.Driver driver -> {
          for (Map.Entry<Key, JournalRecord.Started> lost : open.entrySet()) {
            bars.put(
                lost.getKey(), bar(lost.getValue(), began, last, DRIVER_LOST, "its driver ended"));
          }
          open.clear();
          drivers.add((driver.time() - began) / 1e3);
          last = Math.max(last, driver.time());
        }
        case JournalRecord.Started started -> {
          Key key = new Key(started.trial(), started.attempt());
          open.put(key, started);
          bars.put(key, bar(started, began, started.time(), RUNNING, ""));
          last = Math.max(last, started.time());
        }
        case JournalRecord.Ended ended -> {
          Key key = new Key(ended.trial(), ended.attempt());
          JournalRecord.Started started = open.remove(key);
          if (started != null) {
            bars.put(key, bar(started, began, ended.time(), ended.state(), ended.reason()));
          }
          last = Math.max(last, ended.time());
        }
        default -> {
          // It has no time.
        }
      }
    }
    for (Map.Entry<Key, JournalRecord.Started> running : open.entrySet()) {
      bars.put(running.getKey(), bar(running.getValue(), began, last, RUNNING, ""));
    }
    return new TaskTimeline(List.copyOf(bars.values()), drivers, (last - began) / 1e3);
  }

  private static Bar bar(
      JournalRecord.Started started, long began, long to, String state, String reason) {
    double from = (started.time() - began) / 1e3;
    return new Bar(
        started.trial(),
        started.attempt(),
        started.node(),
        started.cores(),
        started.gpus(),
        from,
        Math.max(from, (to - began) / 1e3),
        state,
        reason);
  }
}
