package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that is full is one line, and what was there stays as it was. */
class DataFullDiskTest {

  private static final String FULL = "the disk is full; free some space and run again";

  @TempDir Path folder;

  private Path disk;

  @BeforeEach
  void mount() throws Exception {
    disk = Files.createDirectory(folder.resolve("disk"));
    boolean mounted =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.toString())
                .start()
                .waitFor()
            == 0;
    if (!mounted) {
      System.out.println("skipped: only root may mount a small disk");
    }
    assumeTrue(mounted);
  }

  @AfterEach
  void unmount() throws Exception {
    new ProcessBuilder("umount", "-l", disk.toString()).start().waitFor();
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(disk)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void makeLeavesNothing() throws Exception {
    for (int commitEvery : new int[] {100, 100_000}) {
      String line =
          CommandRun.failed(
              1,
              "data",
              "make",
              "--kind",
              "cifar",
              "--records",
              10_000,
              "--commit-every",
              commitEvery,
              disk.resolve("db"));
      assertTrue(line.endsWith(FULL), line);
      assertEquals(List.of(), files());
    }
  }

  @Test
  void dumpLeavesNothing() throws Exception {
    CommandRun.done("data", "make", "--kind", "cifar", "--records", 800, disk.resolve("db"));
    String line =
        CommandRun.failed(1, "data", "dump", "-f", disk.resolve("dump"), disk.resolve("db"));
    assertTrue(line.endsWith(FULL), line);
    assertEquals(List.of("db"), files());
  }

  @Test
  void mergeLeavesTheDatabaseAsItWas() throws Exception {
    Path big = folder.resolve("big");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", 2_000, big);
    Path dump = folder.resolve("big.dump");
    CommandRun.done("data", "dump", "-f", dump, big);
    Path database = disk.resolve("db");
    CommandRun.done("data", "make", "--kind", "imagenet", "--records", 5, "--seed", 3, database);
    Path before = folder.resolve("before");
    CommandRun.done("data", "dump", "-f", before, database);
    String line = CommandRun.failed(1, "data", "load", "--merge", "-f", dump, database);
    assertTrue(line.endsWith(FULL), line);
    Path after = folder.resolve("after");
    CommandRun.done("data", "dump", "-f", after, database);
    assertEquals(-1, Files.mismatch(before, after));
    // With room again, writing goes on.
    CommandRun.done("data", "make", "--kind", "cifar", "--records", 10, "--overwrite", database);
  }
}
