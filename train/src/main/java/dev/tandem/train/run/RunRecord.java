package dev.tandem.train.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.CodeVersion;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.StoppedException;
import dev.tandem.core.TandemException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.train.config.TrainingConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * The {@code run.json} of a run: what it is and how it stands. Replaced as a whole at every change;
 * if that fails, a line says so and it is tried again with the next event. Any thread.
 */
public final class RunRecord {

  /** How a run stands; the names in the file are in lower case. */
  public enum State {
    STARTING,
    RUNNING,
    /** Ended before its end, as it was asked to. */
    STOPPED,
    FAILED,
    /** Ended by the loss of a rank. */
    LOST,
    DONE;

    /** How a run stands that ended with a failure. */
    public static State after(RuntimeException failure) {
      return switch (failure) {
        case PeerLostException _ -> LOST;
        case StoppedException _ -> STOPPED;
        default -> FAILED;
      };
    }

    /** The name in the file. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final String FILE = "run.json";

  private final Path file;
  private final ObjectNode json;
  private boolean unwritten;
  private boolean failing;

  private RunRecord(Path file, ObjectNode json) {
    this.file = file;
    this.json = json;
  }

  /**
   * A run begins, or continues: then it stays the run that it was.
   *
   * @param command the words that began it
   * @param hostOfRank the host of every rank
   */
  public static RunRecord begin(Path run, List<String> command, List<String> hostOfRank) {
    Path file = run.resolve(FILE);
    RunRecord record = new RunRecord(file, before(file));
    ObjectNode json = record.json;
    Instant began = began(run);
    CodeVersion code = CodeVersion.current();
    json.put("version", 2);
    putIfAbsent(json, "id", UUID.randomUUID().toString().replace("-", ""));
    json.put("name", run.getFileName().toString());
    json.put("state", State.STARTING.code());
    putIfAbsent(json, "began", began.truncatedTo(ChronoUnit.MILLIS).toString());
    json.putNull("ended");
    json.set("command", JSON.valueToTree(command));
    json.put("config", TrainingConfig.FILE);
    json.put("ranks", hostOfRank.size());
    json.set("hosts", JSON.valueToTree(Hosts.of(hostOfRank)));
    json.put("tandem", code.tandem());
    json.put("commit", code.commit());
    json.put("java", code.java());
    json.put("error", "");
    if (!json.has("parent")) {
      json.putNull("parent");
    }
    if (!json.has("tags")) {
      json.putObject("tags");
    }
    record.write();
    return record;
  }

  /** A run of version 1 began when its configuration was written. */
  private static Instant began(Path run) {
    Path config = run.resolve(TrainingConfig.FILE);
    try {
      return Files.exists(config) ? Files.getLastModifiedTime(config).toInstant() : Instant.now();
    } catch (IOException e) {
      throw FileErrors.failure("read", config, e);
    }
  }

  private static void putIfAbsent(ObjectNode json, String key, String value) {
    if (!json.path(key).isTextual()) {
      json.put(key, value);
    }
  }

  private static ObjectNode before(Path file) {
    try {
      return Files.exists(file) && JSON.readTree(file.toFile()) instanceof ObjectNode before
          ? before
          : JSON.createObjectNode();
    } catch (JsonProcessingException e) {
      return JSON.createObjectNode(); // Damaged: the run goes on all the same.
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /**
   * What a run is going to do.
   *
   * @param strategy how the ranks share the work, as a user writes it
   * @param totalSteps at its end; likewise samples
   */
  public record Plan(
      int ranks,
      String strategy,
      String engine,
      String device,
      long totalSteps,
      long totalSamples,
      long epochs) {}

  /** The ranks have begun to train. */
  public synchronized void running(Plan plan) {
    json.put("state", State.RUNNING.code());
    json.put("ranks", plan.ranks);
    json.put("strategy", plan.strategy);
    json.put("engine", plan.engine);
    json.put("device", plan.device);
    json.put("totalSteps", plan.totalSteps);
    json.put("totalSamples", plan.totalSamples);
    json.put("epochs", plan.epochs);
    write();
  }

  /** Writes again what could not be written. */
  public synchronized void retry() {
    if (unwritten) {
      write();
    }
  }

  /**
   * The processes of the run have ended.
   *
   * @param error why; empty if all is well
   */
  public synchronized void end(State state, String error) {
    json.put("state", state.code());
    json.put("ended", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
    json.put("error", error);
    write();
  }

  private void write() {
    try {
      DurableFiles.system().replace(file, ByteBuffer.wrap(JSON.writeValueAsBytes(json)));
      unwritten = false;
      failing = false;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    } catch (TandemException e) {
      unwritten = true;
      if (!failing) {
        System.err.println(e.getMessage() + "; training continues and this is tried again");
        failing = true;
      }
    }
  }
}
