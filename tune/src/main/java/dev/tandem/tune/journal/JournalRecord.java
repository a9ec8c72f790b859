package dev.tandem.tune.journal;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.tune.task.Attempt;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What happened in a study, one line of its journal each. Times are milliseconds since 1970.
 * Readers ignore keys that they do not know.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = JournalRecord.Study.class, name = "study"),
  @JsonSubTypes.Type(value = JournalRecord.Driver.class, name = "driver"),
  @JsonSubTypes.Type(value = JournalRecord.Asked.class, name = "asked"),
  @JsonSubTypes.Type(value = JournalRecord.Started.class, name = "started"),
  @JsonSubTypes.Type(value = JournalRecord.Reported.class, name = "report"),
  @JsonSubTypes.Type(value = JournalRecord.CheckpointSaved.class, name = "checkpoint"),
  @JsonSubTypes.Type(value = JournalRecord.Ended.class, name = "ended"),
  @JsonSubTypes.Type(value = JournalRecord.Lineage.class, name = "lineage"),
  @JsonSubTypes.Type(value = JournalRecord.Continued.class, name = "continue"),
  @JsonSubTypes.Type(value = JournalRecord.SpaceChanged.class, name = "space"),
  @JsonSubTypes.Type(value = JournalRecord.Stopped.class, name = "stop")
})
@JsonIgnoreProperties(ignoreUnknown = true)
public sealed interface JournalRecord {

  /** Whether whoever appends it waits until it is safe. */
  default boolean durable() {
    return switch (this) {
      case Study any -> true;
      case Ended any -> true;
      case Stopped any -> true;
      case CheckpointSaved any -> true;
      case Lineage any -> true;
      case Driver any -> false;
      case Asked any -> false;
      case Started any -> false;
      case Reported any -> false;
      case Continued any -> false;
      case SpaceChanged any -> false;
    };
  }

  /**
   * The first: what the study is.
   *
   * @param format of this file
   * @param window how many trials a suggestion may not see, see {@link
   *     dev.tandem.tune.StudySettings}
   */
  record Study(
      int format,
      String name,
      JsonNode space,
      String direction,
      String metric,
      long seed,
      JsonNode sampler,
      JsonNode pruner,
      String order,
      int window,
      long time)
      implements JournalRecord {}

  /**
   * A process began to drive the study.
   *
   * @param number its own among those that drive it together
   * @param start when the process began, in the kernel's ticks
   */
  record Driver(int number, String host, long pid, long start, long time)
      implements JournalRecord {}

  /**
   * Parameters were chosen.
   *
   * @param seen how many results that is based on
   * @param driver who runs it
   */
  record Asked(long trial, Map<String, Object> params, int seen, int driver)
      implements JournalRecord {}

  /** An attempt started. */
  record Started(
      long trial,
      int attempt,
      String node,
      List<Integer> cores,
      List<Integer> gpus,
      long pid,
      long pidStart,
      long time)
      implements JournalRecord {

    /** Of an attempt, now. */
    public static Started of(Attempt attempt) {
      return new Started(
          attempt.task().number(),
          attempt.number(),
          attempt.node(),
          attempt.cores(),
          attempt.gpus(),
          attempt.process(),
          attempt.processStart(),
          Instant.now().toEpochMilli());
    }
  }

  /** It reported. */
  record Reported(long trial, int attempt, long step, Map<String, Double> metrics)
      implements JournalRecord {}

  /** A checkpoint of it is whole. */
  record CheckpointSaved(long trial, long step, String path) implements JournalRecord {}

  /**
   * An attempt ended.
   *
   * @param state that of the trial; {@link #RETRIED} if another attempt follows
   * @param diverged whether its metric was no finite number
   */
  @JsonInclude(JsonInclude.Include.NON_DEFAULT)
  record Ended(
      @JsonInclude long trial,
      @JsonInclude int attempt,
      @JsonInclude String state,
      @JsonInclude double value,
      boolean diverged,
      String reason,
      @JsonInclude double seconds,
      @JsonInclude double cpuSeconds,
      @JsonInclude long time)
      implements JournalRecord {

    /** The state of an attempt after which another follows. */
    public static final String RETRIED = "RETRIED";

    public Ended {
      reason = reason == null ? "" : reason;
    }
  }

  /** A paused trial goes on. */
  sealed interface GoesOn extends JournalRecord {

    /** The trial. */
    long trial();
  }

  /**
   * A paused trial goes on from a copy of another's checkpoint, with other parameters.
   *
   * @param step of that checkpoint
   * @param checkpoint the copy
   * @param until the step at which the trial is paused again
   */
  record Lineage(
      long trial, long parent, long step, String checkpoint, Map<String, Object> params, long until)
      implements GoesOn {}

  /**
   * A paused trial goes on as it is.
   *
   * @param until the step at which it is paused again
   */
  record Continued(long trial, long until) implements GoesOn {}

  /** The space is another one from now on. */
  record SpaceChanged(JsonNode space) implements JournalRecord {}

  /**
   * The study stopped; trials from {@code trials} on do not belong to it.
   *
   * @param trials how many count
   */
  record Stopped(String reason, long trials) implements JournalRecord {}
}
