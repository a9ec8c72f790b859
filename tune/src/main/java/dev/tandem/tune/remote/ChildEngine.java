package dev.tandem.tune.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.task.Node;
import dev.tandem.tune.task.OutcomeJson;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskJson;
import dev.tandem.tune.task.TaskListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * An engine in a child process. Owns the process and ends it on {@link #close}. If the process ends
 * before, what ran there is lost, and nothing can be submitted any more. Thread-safe; listeners are
 * called by virtual threads.
 */
public final class ChildEngine implements TaskEngine {

  /** How long a child may take to cancel what runs, including the grace of its tasks. */
  private static final long CLOSE_SECONDS = 60;

  private final String name;
  private final Process process;
  private final JsonLines input;
  private final Consumer<String> notes;
  private final Map<Long, ChildTask> tasks = new ConcurrentHashMap<>();
  private final AtomicLong keys = new AtomicLong();
  private final CompletableFuture<List<Node>> opened = new CompletableFuture<>();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final Thread reader;
  private volatile List<Node> nodes = List.of();
  private volatile boolean ended;

  private ChildEngine(String name, Process process, Consumer<String> notes) {
    this.name = name;
    this.process = process;
    this.notes = notes;
    this.input = new JsonLines(process.getOutputStream());
    this.reader = Thread.ofPlatform().name("tandem-engine-reader").daemon().unstarted(this::read);
  }

  /**
   * Starts a process and waits until its engine is open.
   *
   * @param name of the engine, for messages
   * @param builder the command, whose program serves by an {@link EngineServer}; its standard error
   *     goes where the builder says
   * @param notes gets what the engine says to the user
   * @throws UsageException if the engine refuses its settings
   * @throws WorkFailedException if it cannot be opened
   */
  public static ChildEngine start(String name, ProcessBuilder builder, Consumer<String> notes) {
    ChildEngine engine;
    try {
      engine = new ChildEngine(name, builder.start(), notes);
    } catch (IOException e) {
      throw new WorkFailedException("cannot start %s: %s".formatted(name, e.getMessage()), e);
    }
    engine.reader.start();
    try {
      engine.opened.join();
      return engine;
    } catch (CompletionException e) {
      engine.process.destroyForcibly();
      if (e.getCause() instanceof UsageException usage) {
        throw usage;
      }
      throw new WorkFailedException(e.getCause().getMessage(), e.getCause());
    }
  }

  @Override
  public List<Node> nodes() {
    return nodes;
  }

  /** The number of the child process. */
  public long process() {
    return process.pid();
  }

  @Override
  public TaskHandle submit(Task task, TaskListener events) {
    ObjectNode tree = TaskJson.write(task);
    if (ended) {
      throw new WorkFailedException(ending());
    }
    requireRoom(task);
    long key = keys.incrementAndGet();
    ChildTask handle = new ChildTask(task.id(), events, () -> send(key, "cancel", true));
    tasks.put(key, handle);
    ObjectNode line = object(key);
    line.set("submit", tree);
    try {
      input.write(line);
    } catch (UncheckedIOException e) {
      // The reader sees the end of the process, too; whoever is first ends the task.
      tasks.remove(key);
      handle.lost(name, ending());
    }
    return handle;
  }

  private void requireRoom(Task task) {
    List<Node> now = nodes;
    if (task.alternatives().stream().noneMatch(each -> each.needs().fit(now))) {
      task.alternatives().getLast().needs().requireRoom(now);
    }
  }

  private void read() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        receive(JsonLines.parse(line));
      }
    } catch (IOException | UncheckedIOException e) {
      notes.accept("%s: %s".formatted(name, e.getMessage()));
    }
    end();
  }

  private void receive(JsonNode line) {
    long key = line.path("key").asLong();
    if (line.has("event")) {
      ChildTask task = tasks.get(key);
      if (task != null) {
        long number = line.path("number").asLong();
        // The child waits for each answer before its next call for this task.
        Thread.ofVirtual()
            .name("tandem-engine-event")
            .start(() -> answer(number, task.deliver(line.path("event"))));
      }
    } else if (line.has("outcome")) {
      ChildTask task = tasks.remove(key);
      if (task != null) {
        task.end(OutcomeJson.read(line.path("outcome")));
      }
    } else if (line.has("nodes")) {
      nodes = JsonLines.readNodes(line.path("nodes"));
      opened.complete(nodes);
    } else if (line.has("note")) {
      notes.accept(line.path("note").asText());
    } else if (line.has("failed")) {
      String message = line.path("failed").asText();
      opened.completeExceptionally(
          line.path("usage").asBoolean()
              ? new UsageException(message)
              : new WorkFailedException(message));
    } else if (line.has("closed")) {
      closed.complete(null);
    }
  }

  private void answer(long number, ObjectNode answer) {
    ObjectNode line = object(number);
    line.set("answer", answer);
    try {
      input.write(line);
    } catch (UncheckedIOException e) {
      // The child has ended, which its reader notices.
    }
  }

  private void send(long key, String what, boolean value) {
    try {
      input.write(object(key).put(what, value));
    } catch (UncheckedIOException e) {
      // The same.
    }
  }

  /** The process has ended: so has all that ran there. */
  private void end() {
    String reason = ending();
    opened.completeExceptionally(new WorkFailedException(reason));
    closed.complete(null);
    ended = true;
    for (Long key : List.copyOf(tasks.keySet())) {
      ChildTask task = tasks.remove(key);
      if (task != null) {
        task.lost(name, reason);
      }
    }
  }

  private String ending() {
    try {
      if (process.waitFor(1, TimeUnit.SECONDS)) {
        return "%s ended with exit code %d".formatted(name, process.exitValue());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "%s closed its output".formatted(name);
  }

  @Override
  public void close() {
    send(0, "close", true);
    try {
      closed.completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS).join();
      process.getOutputStream().close();
      if (!process.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      reader.join();
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static ObjectNode object(long key) {
    return JsonNodeFactory.instance.objectNode().put("key", key);
  }
}
