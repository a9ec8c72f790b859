package dev.tandem.tune.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.ExitCode;
import dev.tandem.core.TandemException;
import dev.tandem.tune.task.Node;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.OutcomeJson;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskJson;
import dev.tandem.tune.task.TaskListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Offers an engine to the parent process by standard input and output: the other end of {@link
 * ChildEngine}. Lines of the parent are {@code submit}, {@code cancel}, {@code answer} and {@code
 * close}; lines to it are {@code nodes}, {@code event} (a call of a listener), {@code outcome},
 * {@code note}, {@code failed} and {@code closed}.
 */
public final class EngineServer {

  private final JsonLines output;
  private final Map<Long, TaskHandle> handles = new ConcurrentHashMap<>();
  private final Map<Long, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
  private final AtomicLong events = new AtomicLong();
  private volatile boolean parentGone;

  /** A server that writes here, which is its own. */
  public EngineServer(OutputStream output) {
    this.output = new JsonLines(output);
  }

  /**
   * Opens the engine, serves until the parent closes it or ends, and closes the engine.
   *
   * @param opening what makes the engine; if it fails, the parent hears why
   * @return the exit code of this process
   */
  public ExitCode serve(Supplier<? extends TaskEngine> opening, InputStream input)
      throws IOException {
    try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        TaskEngine engine = opening.get()) {
      nodes(engine.nodes());
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        receive(JsonLines.parse(line), engine);
      }
      parentGone = true;
      answers.values().forEach(each -> each.complete(ListenerCalls.stop("the study has ended")));
      return ExitCode.DONE;
    } catch (TandemException e) {
      output.write(
          object().put("failed", e.getMessage()).put("usage", e.exitCode() == ExitCode.USAGE));
      return e.exitCode();
    }
  }

  /** Says where tasks run now. */
  public void nodes(List<Node> nodes) {
    output.write(object().set("nodes", JsonLines.write(nodes)));
  }

  /** Says something to the user. */
  public void note(String text) {
    output.write(object().put("note", text));
  }

  private void receive(JsonNode line, TaskEngine engine) {
    long key = line.path("key").asLong();
    if (line.has("submit")) {
      submit(key, line.path("submit"), engine);
    } else if (line.has("cancel")) {
      TaskHandle handle = handles.get(key);
      if (handle != null) {
        handle.cancel();
      }
    } else if (line.has("close")) {
      // What still runs asks the parent, whose answers come through this thread.
      Thread.ofPlatform()
          .name("tandem-engine-close")
          .start(
              () -> {
                engine.close();
                output.write(object().put("closed", true));
              });
    } else {
      CompletableFuture<JsonNode> answer = answers.remove(key);
      if (answer != null) {
        answer.complete(line.path("answer"));
      }
    }
  }

  private void submit(long key, JsonNode tree, TaskEngine engine) {
    TaskListener listener = ListenerCalls.sender(call -> ask(key, call));
    TaskHandle handle;
    try {
      handle = engine.submit(TaskJson.read(tree), listener);
    } catch (TandemException | IllegalArgumentException e) {
      ended(key, new Outcome.Failed(String.valueOf(e.getMessage())));
      return;
    }
    handles.put(key, handle);
    CompletableFuture<Void> _ =
        handle
            .outcome()
            .thenAccept(
                outcome -> {
                  handles.remove(key);
                  ended(key, outcome);
                });
  }

  private void ended(long key, Outcome outcome) {
    ObjectNode line = object().put("key", key);
    line.set("outcome", OutcomeJson.write(outcome));
    output.write(line);
  }

  /** Calls the listener in the parent, and waits for its answer. */
  private JsonNode ask(long key, ObjectNode call) {
    if (ListenerCalls.oneWay(call)) {
      ObjectNode line = object().put("key", key);
      line.set("event", call);
      output.write(line);
      return object();
    }
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    long number = events.incrementAndGet();
    answers.put(number, answer);
    if (parentGone) {
      return ListenerCalls.stop("the study has ended");
    }
    ObjectNode line = object().put("key", key).put("number", number);
    line.set("event", call);
    output.write(line);
    return answer.join();
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
