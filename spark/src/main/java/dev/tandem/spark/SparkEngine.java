package dev.tandem.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.remote.ListenerCalls;
import dev.tandem.tune.remote.SparkOptions;
import dev.tandem.tune.task.Node;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskEngine;
import dev.tandem.tune.task.TaskHandle;
import dev.tandem.tune.task.TaskJson;
import dev.tandem.tune.task.TaskListener;
import dev.tandem.tune.task.Work;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Runs tasks on a Spark cluster. One in a JVM at a time, because Spark has one context there.
 * Thread-safe; listeners are called by Spark's threads.
 */
final class SparkEngine implements TaskEngine {

  private final ClusterNodes cluster;
  private final Room room;
  private final Map<String, Chain> chains = new ConcurrentHashMap<>();
  private final Set<SparkTask> tasks = ConcurrentHashMap.newKeySet();
  private final JavaSparkContext spark;
  private final Jobs jobs;
  private volatile boolean closed;

  private SparkEngine(SparkConf conf, Consumer<List<Node>> changed) {
    cluster = new ClusterNodes(changed);
    room = new Room(cluster::slots);
    TandemPlugin.receiver(this::receive);
    conf.set("spark.extraListeners", "");
    spark = new JavaSparkContext(conf);
    spark.sc().addSparkListener(cluster);
    jobs = new Jobs(spark);
  }

  /**
   * Starts an application and waits until its nodes are there.
   *
   * @param classes the class path of executors
   * @param secret the cluster's, if no file has it
   * @param changed hears of the nodes whenever they change
   */
  static SparkEngine open(
      SparkOptions options, String classes, String secret, Consumer<List<Node>> changed) {
    SparkConf conf = SparkSettings.of(options, classes, secret);
    SparkEngine engine;
    try {
      engine = new SparkEngine(conf, changed);
    } catch (RuntimeException e) {
      throw new WorkFailedException("cannot start Spark: " + e.getMessage(), e);
    }
    try {
      if (engine.cluster.await(options.nodes(), options.patience())) {
        return engine;
      }
      List<String> names = engine.cluster.names();
      engine.close();
      throw new WorkFailedException(
          "%d of %d Spark nodes came within %d s%s: start workers, or check that they share the secret and find Tandem's classes"
              .formatted(
                  names.size(),
                  options.nodes(),
                  options.patience(),
                  names.isEmpty() ? "" : " " + names));
    } catch (InterruptedException e) {
      engine.close();
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted", e);
    }
  }

  @Override
  public List<Node> nodes() {
    return cluster.nodes();
  }

  @Override
  public TaskHandle submit(Task task, TaskListener events) {
    // Both fail here, in the call, if they fail.
    Task chosen = task.only(possible(task));
    TaskJson.write(chosen);
    SparkTask handle = new SparkTask(this, chosen, events);
    tasks.add(handle);
    if (closed) {
      handle.cancel();
    }
    Thread.ofVirtual().name("tandem-spark-" + task.id()).start(handle);
    return handle;
  }

  /** The first way to do it that this cluster has room for. */
  private Task.Alternative possible(Task task) {
    List<Node> nodes = nodes();
    for (Task.Alternative each : task.alternatives()) {
      if (each.needs().fit(nodes)) {
        requireRanks(each);
        return each;
      }
    }
    task.alternatives().getLast().needs().requireRoom(nodes);
    throw new IllegalStateException("an alternative that fits was not found");
  }

  /** Ranks on several nodes are processes that join by themselves. */
  private static void requireRanks(Task.Alternative way) {
    if (way.needs().ranks() > 1 && way.work() instanceof Work.JavaWork) {
      throw new UsageException(
          "needs.ranks is %d: each rank is a process of its own, which Java code is not; expected objective.command or objective.train"
              .formatted(way.needs().ranks()));
    }
  }

  /** A question of an executor. */
  private String receive(String text) {
    JsonNode message = ExecutorSide.parse(text.getBytes(StandardCharsets.UTF_8));
    if (!message.has("key")) {
      return introduce(message).toString();
    }
    Chain chain = chains.get(message.path("key").asText());
    return (chain == null ? ListenerCalls.gone(message.path("event")) : chain.deliver(message))
        .toString();
  }

  private ObjectNode introduce(JsonNode hello) {
    List<Integer> processors = new ArrayList<>();
    hello.path("processors").forEach(each -> processors.add(each.asInt()));
    try {
      ClusterNodes.Share share =
          cluster.add(
              new ClusterNodes.Introduction(
                  hello.path("executor").asText(),
                  hello.path("machine").asText(),
                  processors,
                  hello.path("gpus").asInt(),
                  hello.path("memoryBytes").asLong()));
      ObjectNode answer = JsonNodeFactory.instance.objectNode();
      answer.put("name", share.name()).put("host", share.host());
      ArrayNode own = answer.putArray("processors");
      share.processors().forEach(own::add);
      return answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the driver ends", e);
    }
  }

  ClusterNodes cluster() {
    return cluster;
  }

  Room room() {
    return room;
  }

  Jobs jobs() {
    return jobs;
  }

  void register(String key, Chain chain) {
    chains.put(key, chain);
  }

  void forget(String key) {
    chains.remove(key);
  }

  void ended(SparkTask task) {
    tasks.remove(task);
  }

  /** Why nothing can run any more, if Spark itself has ended. */
  Optional<String> stopped() {
    return spark.sc().isStopped()
        ? Optional.of("the Spark application has ended")
        : Optional.empty();
  }

  @Override
  public void close() {
    closed = true;
    List<SparkTask> open = List.copyOf(tasks);
    open.forEach(SparkTask::cancel);
    open.forEach(each -> each.outcome().join());
    spark.close();
  }
}
