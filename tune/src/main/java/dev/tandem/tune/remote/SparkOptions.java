package dev.tandem.tune.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The section {@code spark} of a study: which Spark runs its trials.
 *
 * @param master address of a standalone cluster, {@code spark://HOST:PORT}; empty: a cluster of one
 *     node on this machine, for the time of the study
 * @param secretFile holds the cluster's secret ({@code spark.authenticate.secret}); empty: the
 *     environment variable TANDEM_SPARK_SECRET has it. Not used without a master
 * @param host address by which executors reach this machine; loopback unless told otherwise
 * @param nodes how many nodes must be there before the first trial starts
 * @param cores of the cluster on this machine; 0 for all
 * @param memory of the heap of each executor, as Spark writes it; the processes of trials have
 *     theirs beside it
 * @param patience seconds to wait for the nodes
 * @param settings further {@code spark.*} settings
 */
public record SparkOptions(
    @Default("") String master,
    @Default("") String secretFile,
    @Default("127.0.0.1") String host,
    @Default("1") int nodes,
    @Default("0") int cores,
    @Default("512m") String memory,
    @Default("180") int patience,
    @Default("{}") Map<String, String> settings) {

  private static final Pattern MASTER = Pattern.compile("|spark://.+:\\d+(,.+:\\d+)*");
  private static final Pattern MEMORY = Pattern.compile("\\d+[mg]");

  /** A cluster of one node on this machine. */
  public static final SparkOptions DEFAULT =
      new SparkOptions("", "", "127.0.0.1", 1, 0, "512m", 180, Map.of());

  public SparkOptions {
    if (!MASTER.matcher(master).matches()) {
      throw new UsageException(
          "spark.master is '%s', expected spark://HOST:PORT, or nothing for this machine"
              .formatted(master));
    }
    if (!MEMORY.matcher(memory).matches()) {
      throw new UsageException("spark.memory is '%s', expected e.g. 512m or 2g".formatted(memory));
    }
    if (nodes < 1 || cores < 0 || patience < 1 || host.isBlank()) {
      throw new UsageException(
          "spark needs a host, 1 node or more, cores not negative and 1 s of patience or more");
    }
    if (master.isEmpty() && nodes > 1) {
      throw new UsageException(
          "spark.nodes is %d, and without spark.master the cluster is this machine, one node"
              .formatted(nodes));
    }
    for (String key : settings.keySet()) {
      if (!key.startsWith("spark.")
          || key.startsWith("spark.authenticate")
          || key.startsWith("spark.network.crypto")
          || key.equals("spark.plugins")) {
        throw new UsageException(
            "spark.settings has '%s', expected names spark.*, without authentication, encryption and plugins, which are Tandem's"
                .formatted(key));
      }
    }
    settings = Map.copyOf(settings);
  }

  /** The same with so many cores on this machine. */
  public SparkOptions withCores(int number) {
    return new SparkOptions(master, secretFile, host, nodes, number, memory, patience, settings);
  }

  /** These options as JSON. */
  public ObjectNode json() {
    ObjectNode tree =
        JsonNodeFactory.instance
            .objectNode()
            .put("master", master)
            .put("secretFile", secretFile)
            .put("host", host)
            .put("nodes", nodes)
            .put("cores", cores)
            .put("memory", memory)
            .put("patience", patience);
    ObjectNode further = tree.putObject("settings");
    settings.forEach(further::put);
    return tree;
  }

  /** Options out of the JSON of {@link #json}. */
  public static SparkOptions of(JsonNode tree) {
    Map<String, String> settings = new LinkedHashMap<>();
    tree.path("settings")
        .properties()
        .forEach(e -> settings.put(e.getKey(), e.getValue().asText()));
    return new SparkOptions(
        tree.path("master").asText(),
        tree.path("secretFile").asText(),
        tree.path("host").asText(),
        tree.path("nodes").asInt(),
        tree.path("cores").asInt(),
        tree.path("memory").asText(),
        tree.path("patience").asInt(),
        settings);
  }
}
