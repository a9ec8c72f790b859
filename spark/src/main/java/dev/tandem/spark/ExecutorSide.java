package dev.tandem.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.posix.Affinity;
import dev.tandem.posix.MachineMemory;
import dev.tandem.tune.local.LocalEngine;
import dev.tandem.tune.local.Slots;
import dev.tandem.tune.remote.ListenerCalls;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.OutcomeJson;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.ExecutionException;
import org.apache.spark.api.plugin.PluginContext;

/** Runs tasks in an executor, by the engine of one machine. Thread-safe. */
final class ExecutorSide implements AutoCloseable {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  private final PluginContext plugin;
  private String host = "";
  private TaskEngine engine;

  ExecutorSide(PluginContext plugin) {
    this.plugin = plugin;
  }

  /** Says that this executor is here, and learns its name and processors. */
  void introduce() {
    BitSet processors =
        Affinity.capability().value().map(Affinity::current).orElseGet(ExecutorSide::all);
    int gpus =
        plugin.resources().containsKey("gpu")
            ? plugin.resources().get("gpu").addresses().length
            : 0;
    ObjectNode hello =
        JsonNodeFactory.instance
            .objectNode()
            .put("executor", plugin.executorID())
            .put("machine", machine())
            .put("gpus", gpus)
            .put("memoryBytes", MachineMemory.bytes());
    ArrayNode own = hello.putArray("processors");
    processors.stream().forEach(own::add);
    JsonNode share = ask(hello);
    BitSet given = new BitSet();
    share.path("processors").forEach(each -> given.set(each.asInt()));
    host = share.path("host").asText();
    engine =
        new LocalEngine(Slots.of(share.path("name").asText(), given, gpus, MachineMemory.bytes()));
  }

  private static BitSet all() {
    BitSet all = new BitSet();
    all.set(0, Runtime.getRuntime().availableProcessors());
    return all;
  }

  /** Executors of one machine must not pin tasks to the same processors. */
  private static String machine() {
    try {
      return Files.readString(BOOT).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** The host by which others reach this executor. */
  String host() {
    return host;
  }

  /**
   * Runs a task to its end, or until the thread is interrupted, which cancels it.
   *
   * @param key names this run of the task for the driver
   * @param rank of a gang; 0 for a task of its own
   */
  byte[] run(String key, int rank, Task task) throws InterruptedException {
    TaskHandle handle =
        engine.submit(
            task,
            ListenerCalls.sender(
                event -> {
                  ObjectNode message =
                      JsonNodeFactory.instance.objectNode().put("key", key).put("rank", rank);
                  message.set("event", event);
                  return ask(message);
                }));
    boolean interrupted = false;
    while (true) {
      try {
        Outcome outcome = handle.outcome().get();
        if (interrupted) {
          throw new InterruptedException("cancelled");
        }
        return OutcomeJson.write(outcome).toString().getBytes(StandardCharsets.UTF_8);
      } catch (InterruptedException e) {
        if (interrupted && handle.outcome().isDone()) {
          throw e;
        }
        // Its processes must be gone before Spark gives this core to another.
        interrupted = true;
        handle.cancel();
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
  }

  /** Asks the driver. */
  private JsonNode ask(ObjectNode message) {
    try {
      Object answer = plugin.ask(message.toString().getBytes(StandardCharsets.UTF_8));
      return parse((byte[]) answer);
    } catch (Exception e) {
      throw new IllegalStateException("the driver does not answer: " + e.getMessage(), e);
    }
  }

  static JsonNode parse(byte[] bytes) {
    try {
      return MAPPER.readTree(new String(bytes, StandardCharsets.UTF_8));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON", e);
    }
  }

  @Override
  public void close() {
    if (engine != null) {
      engine.close();
    }
  }
}
