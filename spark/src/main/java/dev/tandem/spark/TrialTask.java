package dev.tandem.spark;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.tune.task.TaskJson;
import org.apache.spark.api.java.function.Function;

/** What a job of one task does in an executor: JSON of a task in, JSON of its outcome out. */
final class TrialTask implements Function<byte[], byte[]> {

  private static final long serialVersionUID = 1L;

  @Override
  public byte[] call(byte[] payload) throws InterruptedException {
    JsonNode tree = ExecutorSide.parse(payload);
    return TandemPlugin.executor()
        .run(tree.path("key").asText(), 0, TaskJson.read(tree.path("task")));
  }
}
