package dev.tandem.oracle.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterFileTest {

  private static final String TWO_NODES =
      """
      name: two
      nodes: 2
      devices-per-node: 4
      device: {name: fast, memory: 80 GiB, flops: 19.5 TFLOP/s, memory-bandwidth: 2 TB/s}
      links:
        - {name: node, devices: 4, latency: 3 us, bandwidth: 300 GB/s}
        - {name: all, latency: 0.01 ms, bandwidth: 100 Gbit/s, lanes: 4, oversubscription: 1.5}
      staging: {bandwidth: 16 GB/s}
      """;

  @TempDir Path folder;

  private Cluster read(String text) throws Exception {
    return ClusterFile.read(Files.writeString(folder.resolve("c.yaml"), text).toString());
  }

  private String refused(String text, String from, String to) {
    assertTrue(text.contains(from), from);
    return assertThrows(UsageException.class, () -> read(text.replace(from, to)))
        .getMessage()
        .replace(folder + "/", "");
  }

  @Test
  void everyKey() throws Exception {
    assertEquals(
        new Cluster(
            "two",
            2,
            4,
            new Device("fast", 80 * 0x1p30, 19.5e12, 19.5e12, 2e12),
            List.of(
                new Link("node", 4, 3e-6, 300e9, 1, 1, true),
                new Link("all", 8, 1e-5, 12.5e9, 4, 1.5, true)),
            Optional.of(new HostStaging(16e9))),
        read(TWO_NODES));
    String half = TWO_NODES.replace("s, memory-b", "s, half-flops: 312e3 GFLOP/s, memory-b");
    assertEquals(312e12, read(half).device().halfFlops());
  }

  @Test
  void levelsOfAbci() {
    Cluster abci = ClusterFile.read("abci");
    assertEquals(4352, abci.devices());
    assertEquals("node", abci.link(1).name());
    assertEquals("node", abci.link(4).name());
    assertEquals("leaf", abci.link(5).name());
    assertEquals("leaf", abci.link(68).name());
    assertEquals("rack", abci.link(136).name());
    Link racks = abci.link(4352);
    assertEquals(new Link("racks", 4352, 40.98e-6, 12.5e9, 2, 3, true), racks);
    assertThrows(IllegalArgumentException.class, () -> abci.link(4353));
  }

  @Test
  void builtInFilesAreRead() {
    for (String name : ClusterFile.names()) {
      Cluster cluster = ClusterFile.read(name);
      assertEquals(name, cluster.name());
      assertEquals(cluster.devices(), cluster.links().getLast().devices());
    }
    assertEquals(27_648, ClusterFile.read("summit").devices());
  }

  @Test
  void theExampleOfThePageIsRead() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "oracle.md"));
    int begin = page.indexOf("```yaml\n") + "```yaml\n".length();
    String example = page.substring(begin, page.indexOf("```", begin));
    Cluster cluster = read(example);
    assertEquals(128, cluster.link(128).devices());
    assertEquals(new HostStaging(25e9), cluster.staging().orElseThrow());
    String error = refused(example, example.substring(example.indexOf("  - name: rack\n")), "");
    assertTrue(page.contains(error.replace("c.yaml", "cluster.yaml")), error);
  }

  @Test
  void otherNumbersOfDevices() throws Exception {
    Cluster abci = ClusterFile.read("abci");
    Cluster three = abci.withDevices(3);
    assertEquals(List.of(1, 3, 3), List.of(three.nodes(), three.devicesPerNode(), three.devices()));
    assertEquals(abci.link(3), three.link(3));
    assertEquals(8, abci.withDevices(6).devices());
    Cluster more = abci.withDevices(16_384);
    assertEquals(16_384, more.devices());
    assertEquals("racks", more.link(16_384).name());
    assertEquals("rack", more.link(100).name());
    assertEquals(abci.link(4352), abci.withDevices(8).withDevices(4352).link(4352));
    Cluster node = read(TWO_NODES).withDevices(4);
    assertEquals(8, node.withDevices(4).links().getLast().devices());
  }

  @Test
  void oneNodeDoesNotGrow() {
    Cluster node =
        new Cluster(
            "box",
            1,
            2,
            new Device("cpu", 16e9, 1e11, 1e11, 2e10),
            List.of(new Link("memory", 2, 1e-6, 5e9, 1, 1, true)),
            Optional.empty());
    assertEquals(
        "cluster box with 4 devices: links: no link between the 2 nodes: add one with devices: 4,"
            + " such as the network between nodes",
        assertThrows(UsageException.class, () -> node.withDevices(4)).getMessage());
  }

  @Test
  void aMissingLinkIsNamed() {
    assertEquals(
        "c.yaml:5: links: no link between the 8 nodes: add one with devices: 32, such as the"
            + " network between nodes",
        refused(
            TWO_NODES.replace("nodes: 2", "nodes: 8"),
            "  - {name: all, latency: 0.01 ms, bandwidth: 100 Gbit/s, lanes: 4,"
                + " oversubscription: 1.5}\n",
            ""));
    assertEquals(
        "c.yaml:5: links: no link of more than 16 of the 32 devices: add one with devices: 32, such"
            + " as the network between nodes",
        refused(TWO_NODES.replace("nodes: 2", "nodes: 8"), "name: all", "name: all, devices: 16"));
    assertEquals(
        "c.yaml:5: links: no link within a node of 4 devices: add one with devices: 4, such as the"
            + " bus or NVLink of a node",
        refused(
            TWO_NODES, "  - {name: node, devices: 4, latency: 3 us, bandwidth: 300 GB/s}\n", ""));
    assertEquals(
        "c.yaml:5: links: slow connects 4 devices, expected more than the 8 before it: list them"
            + " from the nearest to the farthest",
        refused(
            TWO_NODES,
            "  - {name: node, devices: 4, latency: 3 us, bandwidth: 300 GB/s}\n",
            """
              - {name: fast, devices: 8, latency: 3 us, bandwidth: 300 GB/s}
              - {name: slow, devices: 4, latency: 3 us, bandwidth: 300 GB/s}
            """));
  }

  @Test
  void mistakesNameLineAndKey() {
    assertEquals(
        "c.yaml:4: device.memory: '80' is not a quantity here: expected bytes with a unit, such as"
            + " 16 GB or 64 GiB",
        refused(TWO_NODES, "80 GiB", "80"));
    assertEquals(
        "c.yaml:7: links[1].bandwidth: '100 Gb/s' is not a quantity here: expected bytes or bits"
            + " per second with a unit, such as 12.5 GB/s or 100 Gbit/s",
        refused(TWO_NODES, "100 Gbit/s", "100 Gb/s"));
    assertEquals(
        "c.yaml:6: links[0].latency: '3 uB' is not a quantity here: expected a time with a unit,"
            + " such as 9 us or 0.5 ms",
        refused(TWO_NODES, "3 us", "3 uB"));
    assertEquals(
        "c.yaml:3: unknown key 'gpus-per-node'; did you mean 'devices-per-node'?",
        refused(TWO_NODES, "devices-per-node", "gpus-per-node"));
    assertEquals(
        "c.yaml:6: unknown key 'links[0].latencies'; known here: bandwidth, devices, duplex, lanes,"
            + " latency, name, oversubscription",
        refused(TWO_NODES, "latency: 3", "latencies: 3"));
    assertEquals(
        "c.yaml:7: links[1].lanes is 0, expected 1 or more",
        refused(TWO_NODES, "lanes: 4", "lanes: 0"));
    assertEquals(
        "c.yaml:2: nodes is 0, expected 1 or more", refused(TWO_NODES, "nodes: 2", "nodes: 0"));
    assertEquals(
        "no cluster file abcy; expected a file, or one of abci, summit, this-machine; did you mean"
            + " 'abci'?",
        assertThrows(UsageException.class, () -> ClusterFile.read("abcy")).getMessage());
  }

  @Test
  void units() {
    assertEquals(1000.0, Quantity.BYTES.parse("1 kB"));
    assertEquals(1024.0, Quantity.BYTES.parse("1KiB"));
    assertEquals(0.0, Quantity.SECONDS.parse("0"));
    assertEquals(2.5e-8, Quantity.SECONDS.parse("25 ns"), 1e-20);
    assertEquals(9e-6, Quantity.SECONDS.parse("9 µs"), 1e-15);
    assertEquals(1.25e9, Quantity.BYTES_PER_SECOND.parse("10 Gbit/s"));
    assertEquals(7e9, Quantity.OPERATIONS_PER_SECOND.parse("7 GFLOP/s"));
    for (String none : List.of("", "GB", "1 iB", "1 XB", "-1 B", "1 GiFLOP/s", "1 B/s")) {
      assertThrows(UsageException.class, () -> Quantity.BYTES.parse(none), none);
    }
  }
}
