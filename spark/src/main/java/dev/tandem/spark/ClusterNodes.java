package dev.tandem.spark;

import dev.tandem.tune.task.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;

/**
 * The executors that are there. One is a node of the engine when it has introduced itself, because
 * then it is known to find Tandem's classes. Thread-safe.
 */
final class ClusterNodes extends SparkListener {

  private final Consumer<List<Node>> changed;
  private final Map<String, Executor> executors = new LinkedHashMap<>();
  private final Map<String, Registered> registered = new HashMap<>();

  /**
   * What an executor says of itself.
   *
   * @param machine the same for all executors of one machine, whatever their hosts are called
   * @param processors those that it may use
   */
  record Introduction(
      String executor, String machine, List<Integer> processors, int gpus, long memoryBytes) {}

  /**
   * What an executor is given.
   *
   * @param name of the node
   * @param host by which others reach it
   */
  record Share(String name, String host, List<Integer> processors) {}

  private record Registered(String host, int cores) {}

  private record Executor(Introduction introduction, Share share, int sparkCores) {

    Node node() {
      return new Node(
          share.name, share.processors.size(), introduction.gpus, introduction.memoryBytes);
    }
  }

  /**
   * No executors yet.
   *
   * @param changed hears of every change, called by Spark's threads
   */
  ClusterNodes(Consumer<List<Node>> changed) {
    this.changed = changed;
  }

  @Override
  public synchronized void onExecutorAdded(SparkListenerExecutorAdded event) {
    registered.put(
        event.executorId(),
        new Registered(event.executorInfo().executorHost(), event.executorInfo().totalCores()));
    notifyAll();
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
    synchronized (this) {
      registered.remove(event.executorId());
      if (executors.remove(event.executorId()) == null) {
        return;
      }
      notifyAll();
    }
    changed.accept(nodes());
  }

  /** An executor is ready; waits until Spark says where it is and how many cores it has. */
  Share add(Introduction introduction) throws InterruptedException {
    Share share;
    synchronized (this) {
      while (!registered.containsKey(introduction.executor())) {
        wait();
      }
      Registered spark = registered.get(introduction.executor());
      share =
          new Share(
              name(introduction.executor(), spark.host),
              spark.host,
              processors(introduction, spark.cores));
      executors.put(introduction.executor(), new Executor(introduction, share, spark.cores));
      notifyAll();
    }
    changed.accept(nodes());
    return share;
  }

  /** The host; with the executor's number where another executor of this host is there. */
  private String name(String executor, String host) {
    boolean alone = executors.values().stream().noneMatch(e -> e.share.name().equals(host));
    return alone ? host : "%s#%s".formatted(host, executor);
  }

  /** As many processors as Spark gave it cores: those that fewest executors of the machine have. */
  private List<Integer> processors(Introduction introduction, int cores) {
    Map<Integer, Integer> uses = new HashMap<>();
    for (Executor each : executors.values()) {
      if (each.introduction.machine().equals(introduction.machine())) {
        each.share.processors().forEach(p -> uses.merge(p, 1, Integer::sum));
      }
    }
    return introduction.processors().stream()
        .sorted(Comparator.comparingInt((Integer p) -> uses.getOrDefault(p, 0)))
        .limit(cores)
        .sorted()
        .toList();
  }

  /** The nodes, now. */
  synchronized List<Node> nodes() {
    return executors.values().stream().map(Executor::node).toList();
  }

  /** How many tasks of one core Spark runs at a time. */
  synchronized int slots() {
    return executors.values().stream().mapToInt(Executor::sparkCores).sum();
  }

  /** The hosts of all nodes. */
  synchronized Set<String> hosts() {
    Set<String> hosts = new TreeSet<>();
    executors.values().forEach(each -> hosts.add(each.share.host()));
    return hosts;
  }

  /** The host of a node; empty if it is not there any more. */
  synchronized String host(String node) {
    return executors.values().stream()
        .filter(each -> each.share.name().equals(node))
        .map(each -> each.share.host())
        .findFirst()
        .orElse(node.replaceFirst("#.*", ""));
  }

  /** Waits until so many nodes are there; returns whether they came in time. */
  synchronized boolean await(int count, long seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (executors.size() < count) {
      long rest = end - System.nanoTime();
      if (rest <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, rest);
    }
    return true;
  }

  /** Executors whose names say who they are, for messages. */
  synchronized List<String> names() {
    return new ArrayList<>(executors.values().stream().map(e -> e.share.name()).toList());
  }
}
