package dev.tandem.spark;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Task;
import dev.tandem.tune.task.TaskJson;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceRequests;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Makes Spark jobs of tasks. Thread-safe. */
final class Jobs {

  private static final ClassTag<byte[]> BYTES = ClassTag$.MODULE$.apply(byte[].class);

  private final JavaSparkContext spark;
  private final Map<Request, ResourceProfile> profiles = new ConcurrentHashMap<>();

  private record Request(int cpus, int gpus) {}

  Jobs(JavaSparkContext spark) {
    this.spark = spark;
  }

  /** How many of Spark's cores a task of these needs takes: at least one for each rank. */
  static int cores(Needs needs) {
    return Math.max(1, needs.cores());
  }

  /**
   * Starts a job.
   *
   * @param task with one alternative
   * @param key names it in messages of executors
   * @param hosts those to prefer; none for any
   * @return one outcome for each rank
   */
  JavaFutureAction<List<byte[]>> submit(Task task, String key, Collection<String> hosts) {
    Needs needs = task.alternatives().getFirst().needs();
    ObjectNode tree = JsonNodeFactory.instance.objectNode().put("key", key);
    tree.set("task", TaskJson.write(task));
    byte[] payload = tree.toString().getBytes(StandardCharsets.UTF_8);

    Seq<String> preferred = seq(List.copyOf(hosts));
    Seq<Tuple2<byte[], Seq<String>>> partitions =
        seq(Collections.nCopies(needs.ranks(), new Tuple2<>(payload, preferred)));
    RDD<byte[]> rdd = spark.sc().makeRDD(partitions, BYTES);
    JavaRDD<byte[]> work =
        needs.ranks() == 1
            ? rdd.toJavaRDD().map(new TrialTask())
            : rdd.barrier().mapPartitions(new GangTask(), false, BYTES).toJavaRDD();
    Request request = new Request(cores(needs), needs.gpus());
    if (request.cpus > 1 || request.gpus > 0) {
      work = work.withResources(profiles.computeIfAbsent(request, Jobs::profile));
    }
    // A thread of its own calls this: what is set here is for this job alone.
    spark.setJobGroup(key, task.id().toString(), true);
    return work.collectAsync();
  }

  private static ResourceProfile profile(Request request) {
    TaskResourceRequests requests = new TaskResourceRequests().cpus(request.cpus);
    if (request.gpus > 0) {
      requests = requests.resource("gpu", request.gpus);
    }
    return new ResourceProfileBuilder().require(requests).build();
  }

  private static <T> Seq<T> seq(List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }
}
