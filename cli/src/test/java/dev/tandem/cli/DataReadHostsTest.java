package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.testkit.NetworkNamespaces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tandem data read --hosts}: readers of several hosts give what one reader gives. */
class DataReadHostsTest {

  /** No other test's number. */
  private static final int NAMESPACES = 42;

  @TempDir Path folder;
  private Path database;

  @BeforeEach
  void make() {
    database = folder.resolve("cifar");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", 2000, database);
  }

  private JsonNode read(Object... options) throws Exception {
    Path json = folder.resolve("read.json");
    List<Object> words = new ArrayList<>(List.of("data", "read", database, "--json", json));
    words.addAll(List.of(options));
    CommandRun.done(words.toArray());
    return new ObjectMapper().readTree(json.toFile());
  }

  /** Two hosts that are both this machine; the remote shell is one here. */
  private Path shell() throws Exception {
    Path shell = folder.resolve("rsh");
    Files.writeString(shell, "#!/bin/sh\nshift\nsh -c \"$*\"\n");
    return Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dm", "stag"})
  void readersOfTwoHostsGiveTheSameRecords(String mode) throws Exception {
    JsonNode alone = read("--mode", "lmdb", "--batch", 100);
    JsonNode hosts =
        read(
            "--mode",
            mode,
            "--batch",
            100,
            "--cold",
            "--hosts",
            "localhost:2,b:1",
            "--rsh",
            shell(),
            "--bind",
            "127.0.0.1");
    assertEquals(3, hosts.path("readers").asInt());
    assertEquals(alone.path("checksum"), hosts.path("checksum"));
    assertEquals(alone.path("records"), hosts.path("records"));
  }

  /** With a network and processes that have nothing but it in common. */
  @ParameterizedTest
  @ValueSource(strings = {"lmdb", "lmm", "dm", "dio", "prov", "coal", "stag", "auto"})
  @Tag("slow")
  void namespacesAreHosts(String mode) throws Exception {
    Optional<String> obstacle = NetworkNamespaces.obstacle();
    obstacle.ifPresent(reason -> System.out.println("DataReadHostsTest skipped: " + reason));
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElseThrow());
    JsonNode alone = read("--mode", "lmdb", "--batch", 100);
    try (NetworkNamespaces hosts = NetworkNamespaces.create(NAMESPACES)) {
      JsonNode both =
          read(
              "--mode",
              mode,
              "--batch",
              100,
              "--cold",
              "--hosts",
              hosts.name(0) + ":2," + hosts.name(1) + ":2",
              "--rsh",
              "ip netns exec",
              "--bind",
              hosts.here());
      assertEquals(4, both.path("readers").asInt());
      assertEquals(alone.path("checksum"), both.path("checksum"));
    }
  }

  @Test
  void whatCannotBeIsSaidInOneLine() {
    assertEquals(
        "tandem: --readers is 3, but --hosts lists 2 ranks",
        CommandRun.failed(2, "data", "read", database, "--hosts", "a:1,b:1", "--readers", 3));
    String line = CommandRun.failed(2, "data", "read", database, "--hosts", "a;b");
    assertTrue(line.startsWith("tandem: --hosts must be like a:4,b:4"), line);
  }
}
