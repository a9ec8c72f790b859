package dev.tandem.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.tune.local.TrainingRank;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskJson;
import dev.tandem.tune.task.Work;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.BarrierTaskContext;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * What a rank of a gang does in its executor: rank 0 opens the meeting point, all learn where it
 * is, and each runs its process with the environment of a rank.
 */
final class GangTask extends AbstractFunction1<Iterator<byte[]>, Iterator<byte[]>>
    implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @Override
  public Iterator<byte[]> apply(Iterator<byte[]> partition) {
    JsonNode tree = ExecutorSide.parse(partition.next());
    Task task = TaskJson.read(tree.path("task"));
    BarrierTaskContext context = BarrierTaskContext.get();
    try {
      byte[] outcome = run(tree.path("key").asText(), task, context);
      return CollectionConverters.asScala(List.of(outcome).iterator());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("cancelled", e);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("the executor's host has no address: " + e.getMessage(), e);
    }
  }

  private static byte[] run(String key, Task task, BarrierTaskContext context)
      throws InterruptedException, UnknownHostException {
    int rank = context.partitionId();
    int ranks = context.numPartitions();
    ExecutorSide side = TandemPlugin.executor();
    if (rank != 0) {
      return runRank(side, key, task, rank, context.allGather("")[0]);
    }
    try (RendezvousHost meeting =
        RendezvousHost.open(
            ranks, JobSecret.random(), InetAddress.getByName(side.host()), PATIENCE, text -> {})) {
      ObjectNode line = JsonNodeFactory.instance.objectNode();
      meeting.environment(0).variables().forEach(line::put);
      return runRank(side, key, task, 0, context.allGather(line.toString())[0]);
    }
  }

  private static byte[] runRank(ExecutorSide side, String key, Task task, int rank, String line)
      throws InterruptedException {
    Map<String, String> variables = new LinkedHashMap<>();
    ExecutorSide.parse(line.getBytes(StandardCharsets.UTF_8))
        .properties()
        .forEach(each -> variables.put(each.getKey(), each.getValue().asText()));
    variables.put(JobEnvironment.RANK, Integer.toString(rank));
    variables.put(JobEnvironment.HOST, side.host());
    return side.run(key, rank, rankOf(task, variables));
  }

  /** The task of one rank of the gang. */
  private static Task rankOf(Task task, Map<String, String> variables) {
    Task.Alternative whole = task.alternatives().getFirst();
    Needs each =
        new Needs(1, whole.needs().cores(), whole.needs().gpus(), whole.needs().memoryBytes());
    Work work =
        switch (whole.work()) {
          case Work.CommandWork command -> {
            Map<String, String> environment = new LinkedHashMap<>(command.environment());
            environment.putAll(variables);
            yield new Work.CommandWork(
                command.command(), environment, command.protocol(), command.call());
          }
          case Work.TrainWork train ->
              new Work.CommandWork(
                  TrainingRank.words(train, task.firstAttempt()),
                  variables,
                  Work.Protocol.DEFAULT,
                  train.call());
          case Work.JavaWork java -> throw new IllegalArgumentException("Java code has no ranks");
        };
    return task.only(new Task.Alternative(work, each));
  }
}
