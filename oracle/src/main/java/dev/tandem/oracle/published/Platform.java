package dev.tandem.oracle.published;

import dev.tandem.oracle.cluster.Cluster;
import dev.tandem.oracle.cluster.ClusterFile;
import dev.tandem.oracle.cluster.Link;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Properties;

/** The machine of the campaign, and what a sample takes on one of its devices. */
final class Platform {

  private static final String FILE = "abci-chainer.properties";

  private final Cluster cluster;
  private final Properties properties;

  private Platform(Cluster cluster, Properties properties) {
    this.cluster = cluster;
    this.properties = properties;
  }

  /** ABCI. */
  static Platform abci() {
    Properties properties = new Properties();
    try (InputStream stream = Platform.class.getResourceAsStream(FILE)) {
      properties.load(new InputStreamReader(stream, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Platform(ClusterFile.read("abci"), properties);
  }

  Cluster cluster() {
    return cluster;
  }

  int devicesPerNode() {
    return cluster.devicesPerNode();
  }

  /** The link that connects this many devices. */
  Link link(int devices) {
    return cluster.link(devices);
  }

  /** The link within a node. */
  Link within() {
    return cluster.link(devicesPerNode());
  }

  /** The link between neighbouring nodes. */
  Link between() {
    return cluster.link(devicesPerNode() + 1);
  }

  /** Bytes per second over the memory of the host in one direction, shared as usual. */
  double hostBytesPerSecond() {
    return number("host.bandwidth") / number("host.flows");
  }

  /** Latency of a message over the memory of the host. */
  double hostLatency() {
    return number("host.latency");
  }

  /** Messages that share a link between nodes where layers are split within nodes. */
  double hybridFlows() {
    return number("hybrid.flows");
  }

  /**
   * Seconds for a sample on one device.
   *
   * @param network its name, such as {@code resnet50} or {@code cosmoflow-256}
   */
  OptionalDouble serialSeconds(String network) {
    String key = "serial." + network;
    return properties.containsKey(key) ? OptionalDouble.of(number(key)) : OptionalDouble.empty();
  }

  /** Names of networks of which the serial time is known. */
  List<String> profiled() {
    return properties.stringPropertyNames().stream()
        .filter(key -> key.startsWith("serial."))
        .map(key -> key.substring("serial.".length()))
        .sorted()
        .toList();
  }

  /** Samples of an epoch. */
  double epochSamples(boolean volumes) {
    return number(volumes ? "epoch.cosmoflow" : "epoch.imagenet");
  }

  private double number(String key) {
    return Double.parseDouble(properties.getProperty(key));
  }
}
