package dev.tandem.spark;

import dev.tandem.core.UsageException;
import dev.tandem.tune.remote.SparkOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.apache.spark.SparkConf;

/** What Spark is told, and why. */
final class SparkSettings {

  static final String SECRET_VARIABLE = "TANDEM_SPARK_SECRET";

  private static final int SECRET_BYTES = 32;

  private SparkSettings() {}

  /**
   * The configuration of an application.
   *
   * @param classes the class path of executors before Spark's own
   */
  static SparkConf of(SparkOptions options, String classes, String variable) {
    SparkConf conf = new SparkConf(false);
    conf.setAppName("tandem tune").setMaster(master(options));

    // Authenticated and encrypted, always: Spark deserializes Java objects.
    conf.set("spark.authenticate", "true")
        .set("spark.authenticate.secret", secret(options, variable))
        .set("spark.network.crypto.enabled", "true")
        .set("spark.network.crypto.cipher", "AES/GCM/NoPadding");

    conf.set("spark.driver.host", options.host())
        .set("spark.driver.bindAddress", options.host())
        .set("spark.ui.enabled", "false")
        .set("spark.ui.showConsoleProgress", "false");

    conf.set("spark.executor.memory", options.memory())
        .set("spark.executor.extraClassPath", classes)
        .set("spark.executor.extraJavaOptions", "-XX:+UseParallelGC -XX:TieredStopAtLevel=1")
        .set("spark.plugins", TandemPlugin.class.getName());

    // A job fails with its task: the engine submits it again, and says which hosts to prefer. The
    // wait is how long a task insists on them; others do not wait meanwhile.
    conf.set("spark.task.maxFailures", "1")
        .set("spark.locality.wait", "60s")
        .set("spark.speculation", "false")
        .set("spark.dynamicAllocation.enabled", "false");
    // An application outlives any number of lost executors; the setting is the Master's, which is
    // ours where the cluster is.
    conf.set("spark.deploy.maxExecutorRetries", "-1");
    // The first interrupt of a cancelled task ends its processes; Spark looks that it does.
    conf.set("spark.task.reaper.enabled", "true");
    conf.set("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s")
        .set("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "5");

    options.settings().forEach(conf::set);
    return conf;
  }

  private static String master(SparkOptions options) {
    if (!options.master().isEmpty()) {
      return options.master();
    }
    int cores = options.cores() == 0 ? Runtime.getRuntime().availableProcessors() : options.cores();
    return "local-cluster[1,%d,%d]".formatted(cores, megabytes(options.memory()) + 512);
  }

  private static long megabytes(String memory) {
    long number = Long.parseLong(memory.substring(0, memory.length() - 1));
    return memory.endsWith("g") ? number * 1024 : number;
  }

  /** The cluster's secret; a new one for the cluster of this machine. */
  private static String secret(SparkOptions options, String variable) {
    if (options.master().isEmpty()) {
      byte[] bytes = new byte[SECRET_BYTES];
      new SecureRandom().nextBytes(bytes);
      return HexFormat.of().formatHex(bytes);
    }
    String secret = variable;
    if (!options.secretFile().isEmpty()) {
      try {
        secret = Files.readString(Path.of(options.secretFile())).strip();
      } catch (IOException e) {
        throw new UsageException(
            "cannot read spark.secret-file %s".formatted(options.secretFile()));
      }
    }
    if (secret.isEmpty()) {
      throw new UsageException(
          "%s needs the cluster's spark.authenticate.secret: set spark.secret-file or the variable %s"
              .formatted(options.master(), SECRET_VARIABLE));
    }
    return secret;
  }
}
