package dev.tandem.board;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.SharedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a folder says of its run as a whole: its {@code run.json}, or, for a run of version 1, which
 * has none, what the other files show. Reads only; a snapshot.
 */
public final class RunInfo {

  private static final String FILE = "run.json";
  private static final String LOCK = "run.lock";
  private static final String CONFIG = "config.yaml";
  private static final String MARKER = ".tandem-run";
  private static final String RUNNING = "running";
  private static final String STARTING = "starting";

  /** A heartbeat that is older says that nobody writes it any more. */
  private static final long STALE_MILLIS = 60_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path path;
  private final JsonNode json;

  private RunInfo(Path path, JsonNode json) {
    this.path = path;
    this.json = json;
  }

  /** Reads the folder of a run; empty if it is none. */
  public static Optional<RunInfo> of(Path folder) {
    Path path = folder.toAbsolutePath().normalize();
    Path file = path.resolve(FILE);
    try {
      if (Files.exists(file)) {
        JsonNode json = JSON.readTree(file.toFile());
        return Optional.of(new RunInfo(path, json == null ? MissingNode.getInstance() : json));
      }
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
    boolean run = Files.exists(path.resolve(MARKER)) && Files.exists(path.resolve(CONFIG));
    return run ? Optional.of(new RunInfo(path, MissingNode.getInstance())) : Optional.empty();
  }

  /** All runs directly below a folder, the newest first. */
  public static List<RunInfo> below(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      List<RunInfo> runs = new ArrayList<>();
      entries.filter(Files::isDirectory).forEach(each -> of(each).ifPresent(runs::add));
      runs.sort(Comparator.comparing(RunInfo::began).reversed().thenComparing(RunInfo::name));
      return runs;
    } catch (IOException e) {
      throw FileErrors.failure("list", folder, e);
    }
  }

  public Path path() {
    return path;
  }

  public String name() {
    return path.getFileName().toString();
  }

  /** 2 if there is a {@code run.json}, else 1. */
  public int version() {
    return json.path("version").asInt(1);
  }

  /**
   * The state: {@code starting}, {@code running}, {@code stopped}, {@code failed}, {@code done}, or
   * {@code lost} for one that should run while nobody holds its lock. Of a run of version 1 only
   * {@code done} is certain; it is {@code unknown} otherwise.
   */
  public String state() {
    if (version() < 2) {
      return tail("result").isPresent() ? "done" : "unknown";
    }
    String state = json.path("state").asText("unknown");
    return (state.equals(RUNNING) || state.equals(STARTING)) && !inUse() ? "lost" : state;
  }

  /** Whether a process works on the run now. */
  public boolean inUse() {
    Path lock = path.resolve(LOCK);
    Path heartbeat = path.resolve("heartbeat");
    try {
      if (Files.exists(heartbeat)) {
        long age = System.currentTimeMillis() - Files.getLastModifiedTime(heartbeat).toMillis();
        if (age < STALE_MILLIS) {
          return true;
        }
      }
    } catch (IOException e) {
      // It has ended just now; the lock decides.
    }
    if (!Files.exists(lock)) {
      return false;
    }
    try (SharedFile file = SharedFile.openOrCreate(lock)) {
      return file.lockedByOther(0);
    }
  }

  /** When it began; of a run of version 1, when its configuration was written. */
  public Instant began() {
    return instant("began").orElseGet(() -> modified(CONFIG));
  }

  /** When it ended or, as long as it has not, when it last wrote its metrics. */
  public Instant ended() {
    return instant("ended").orElseGet(() -> modified(RunMetrics.METRICS));
  }

  private Optional<Instant> instant(String key) {
    JsonNode value = json.path(key);
    if (value.isNumber()) {
      return Optional.of(Instant.ofEpochMilli(value.asLong()));
    }
    try {
      return value.isTextual() ? Optional.of(Instant.parse(value.asText())) : Optional.empty();
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  private Instant modified(String name) {
    try {
      return Files.getLastModifiedTime(path.resolve(name)).toInstant();
    } catch (IOException e) {
      return Instant.EPOCH;
    }
  }

  /** Text of {@code run.json}; empty if it is not there. */
  public String text(String key) {
    return json.path(key).asText("");
  }

  /** The command that began it, as one would type it. */
  public String command() {
    StringBuilder command = new StringBuilder();
    for (JsonNode word : json.path("command")) {
      String text = word.asText();
      boolean plain = text.matches("[\\w@%+=:,./-]+");
      command.append(command.isEmpty() ? "" : " ");
      command.append(plain ? text : "'" + text.replace("'", "'\\''") + "'");
    }
    return command.toString();
  }

  /** The machines, in words; empty if they are not known. */
  public String machine() {
    List<String> hosts = new ArrayList<>();
    for (JsonNode host : json.path("hosts")) {
      JsonNode own = host.path("ranks");
      int ranks = own.isArray() ? own.size() : own.asInt();
      hosts.add(
          String.format(
              Locale.ROOT,
              "%s (%d ranks, %d processors, %.1f GiB%s)",
              host.path("name").asText(),
              ranks,
              host.path("processors").asInt(),
              host.path("memory").asDouble() / (1L << 30),
              host.path("cpu").asText("").isEmpty() ? "" : ", " + host.path("cpu").asText()));
    }
    return String.join("; ", hosts);
  }

  /** How many ranks; 0 if it is not known. */
  public int ranks() {
    return json.path("ranks")
        .asInt(tail("result").map(result -> result.path("ranks").asInt()).orElse(0));
  }

  /** All steps of the whole run; 0 if it is not known. */
  public long totalSteps() {
    return json.path("totalSteps").asLong();
  }

  /** The configuration's text; empty if there is none. */
  String config() {
    Path file = path.resolve(CONFIG);
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /** The last event of a kind near the end of the metrics. */
  Optional<JsonNode> tail(String kind) {
    return new MetricsTail(path.resolve(RunMetrics.METRICS)).last(kind);
  }
}
