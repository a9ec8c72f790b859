package dev.tandem.oracle.sync;

import dev.tandem.core.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Parameters as text: {@code key = value}, with comments that say where a number comes from. Built
 * in are what is known of Summit and, apart, what was fitted to its baseline; a file overrides
 * single keys.
 */
public final class SyncParameterFile {

  private static final List<String> BUILT_IN =
      List.of("summit.properties", "summit-fit.properties");

  private SyncParameterFile() {}

  /** What is built in. */
  public static SyncParameters builtIn() {
    return parse("built in: Summit, noise fitted to its baseline", builtInProperties());
  }

  /** What is built in, but for the keys of a file. */
  public static SyncParameters read(Path file) {
    Properties properties = builtInProperties();
    Properties own = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      own.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new UsageException("parameters %s: cannot be read: %s".formatted(file, e.getMessage()));
    }
    for (String key : own.stringPropertyNames()) {
      if (!properties.containsKey(key) && !key.startsWith("network.")) {
        throw new UsageException(
            "parameters %s: unknown key %s; docs/simulation.md lists them".formatted(file, key));
      }
    }
    properties.putAll(own);
    try {
      return parse("%s over what is built in".formatted(file.getFileName()), properties);
    } catch (IllegalArgumentException e) {
      throw new UsageException("parameters %s: %s".formatted(file, e.getMessage()));
    }
  }

  private static SyncParameters parse(String origin, Properties properties) {
    return new SyncParameters(origin, cluster(properties), noise(properties), networks(properties));
  }

  private static ClusterModel cluster(Properties properties) {
    return new ClusterModel(
        new ClusterModel.Engine(
            number(properties, "cluster.computeMillis"),
            (int) number(properties, "cluster.referenceBatch"),
            number(properties, "cluster.batchFreeShare")),
        new ClusterModel.Input(
            number(properties, "cluster.inputMillis"), number(properties, "cluster.inputDrag")),
        new ClusterModel.Cores(
            (int) number(properties, "cluster.cores"),
            (int) number(properties, "cluster.engineCores")),
        new ClusterModel.Protocol(
            number(properties, "cluster.cycleMillis"),
            number(properties, "cluster.fusionBytes"),
            number(properties, "cluster.controlMicros"),
            number(properties, "cluster.requestMicros"),
            number(properties, "cluster.planMicros"),
            number(properties, "cluster.napMicros"),
            number(properties, "cluster.testMicros")),
        new ClusterModel.Links(
            (int) number(properties, "cluster.nodeRanks"),
            number(properties, "cluster.nodeLatencyMicros"),
            number(properties, "cluster.nodeBandwidth"),
            number(properties, "cluster.latencyMicros"),
            number(properties, "cluster.bandwidth"),
            number(properties, "cluster.congestion"),
            number(properties, "cluster.copyBandwidth")));
  }

  private static SchedulingNoise noise(Properties properties) {
    return new SchedulingNoise(
        number(properties, "noise.timerSlackMicros"),
        number(properties, "noise.holdMillis"),
        number(properties, "noise.takeoverMillis"),
        number(properties, "noise.heldShare"),
        number(properties, "noise.heldShareInWindow"),
        number(properties, "noise.preemptionsPerThousandNodes"),
        number(properties, "noise.stallsPerSecond"),
        number(properties, "noise.jitter"));
  }

  /** Networks in the order of their keys, which have a number for it: network.1.name. */
  private static List<NetworkProfile> networks(Properties properties) {
    List<NetworkProfile> networks = new ArrayList<>();
    for (int i = 1; properties.containsKey("network." + i + ".name"); i++) {
      String prefix = "network." + i + ".";
      networks.add(
          new NetworkProfile(
              properties.getProperty(prefix + "name").strip(),
              (long) number(properties, prefix + "parameters"),
              (int) number(properties, prefix + "tensors"),
              number(properties, prefix + "relativeCompute"),
              (int) number(properties, prefix + "nodes")));
    }
    return networks;
  }

  private static double number(Properties properties, String key) {
    String text = properties.getProperty(key);
    if (text == null) {
      throw new IllegalArgumentException(key + " is missing");
    }
    try {
      return Double.parseDouble(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(key + " = " + text + ": is no number", e);
    }
  }

  private static Properties builtInProperties() {
    Properties properties = new Properties();
    for (String name : BUILT_IN) {
      try (InputStream stream = SyncParameterFile.class.getResourceAsStream(name)) {
        if (stream == null) {
          throw new IllegalStateException("missing resource " + name);
        }
        properties.load(new InputStreamReader(stream, StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return properties;
  }
}
