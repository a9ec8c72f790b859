package dev.tandem.lmdb.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.posix.DurableFiles;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random databases: what we write is what a sorted map would hold, for us and for liblmdb. */
class WriterRandomTest {

  /** Of each kind; {@code -Dtandem.cases=N} for more. */
  private static final int CASES = Integer.getInteger("tandem.cases", 16);

  private static final int MANY_CASES = 300;

  @TempDir Path folder;

  @Test
  void imagesHoldWhatWasWritten() throws IOException {
    compareImages(CASES);
  }

  @Test
  void debiansToolsAgree() throws IOException {
    compareWithTools(CASES);
  }

  @Test
  void liblmdbGoesOnAndSoDoWe() throws IOException {
    writeInTurns(CASES / 2);
  }

  @Tag("slow")
  @Test
  void manyCases() throws IOException {
    compareImages(MANY_CASES);
    compareWithTools(MANY_CASES);
    writeInTurns(MANY_CASES / 2);
  }

  private void compareImages(int cases) throws IOException {
    Seed seed = TestSeed.of(WriterRandomTest.class);
    for (int i = 0; i < cases; i++) {
      Path path = folder.resolve("own" + i);
      RandomWork work = run(path, seed.derive("own").derive(i), i);
      delete(path);
      assertTrue(work.model().databases.size() <= 5);
    }
  }

  private void compareWithTools(int cases) throws IOException {
    Seed seed = TestSeed.of(WriterRandomTest.class);
    for (int i = 0; i < cases; i++) {
      Path path = folder.resolve("tools" + i);
      Model model = run(path, seed.derive("tools").derive(i), i).model();
      Image image = image(path);
      boolean mainOnly = model.databases.keySet().stream().allMatch(String::isEmpty);
      String dump =
          mainOnly
              ? Peer.tool("mdb_dump", path.toString())
              : Peer.tool("mdb_dump", "-a", path.toString());
      if (!model.databases.isEmpty()) {
        assertEquals(model.dump(image.mapSize(), image.pageSize()), dump, "case " + i);
      }
      checkStat(Peer.tool("mdb_stat", "-a", "-e", "-f", path.toString()), model, image);
      delete(path);
    }
  }

  private void writeInTurns(int cases) throws IOException {
    Seed seed = TestSeed.of(WriterRandomTest.class);
    try (Peer peer = Peer.start()) {
      for (int i = 0; i < cases; i++) {
        Path path = folder.resolve("peer" + i);
        SplittableRandom random = seed.derive("peer").derive(i).random();
        RandomWork work = new RandomWork(random);
        for (int round = 0; round < 4; round++) {
          try (EnvironmentWriter environment = open(path, i, random)) {
            for (int n = random.nextInt(3); n >= 0; n--) {
              work.transaction(environment);
            }
          }
          work.model().assertHeldBy(image(path));
          assertEquals(digest(work.model()), peer.ask(digestCommand(path, work.model())));

          Path script = folder.resolve("script");
          List<String> lines = new ArrayList<>();
          work.forPeer(lines::add);
          Files.write(script, lines);
          peer.ask("write " + path + " " + script);
          work.model().assertHeldBy(image(path));
        }
        delete(path);
      }
    }
  }

  private RandomWork run(Path path, Seed seed, int i) throws IOException {
    SplittableRandom random = seed.random();
    RandomWork work = new RandomWork(random);
    int sessions = 1 + random.nextInt(3);
    for (int session = 0; session < sessions; session++) {
      try (EnvironmentWriter environment = open(path, i, random)) {
        for (int n = random.nextInt(4); n >= 0; n--) {
          work.transaction(environment);
        }
      }
      work.model().assertHeldBy(image(path));
    }
    return work;
  }

  /** Now and then with so little memory that pages come and go all the time. */
  private static EnvironmentWriter open(Path path, int i, SplittableRandom random) {
    WriterOptions options =
        WriterOptions.DEFAULT
            .withPageSize(i % 3 == 0 ? 16_384 : 4096)
            .withSync(random.nextInt(10) == 0);
    long memory = random.nextInt(3) == 0 ? 1 << 16 : 1 << 26;
    return EnvironmentWriter.open(path, options, DurableFiles.system(), memory);
  }

  private static Image image(Path path) throws IOException {
    return Image.of(Files.readAllBytes(path.resolve("data.mdb")));
  }

  private static void delete(Path path) throws IOException {
    try (var files = Files.list(path)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(path);
  }

  private static void checkStat(String stat, Model model, Image image) {
    List<Long> entries = new ArrayList<>();
    for (String line : stat.lines().toList()) {
      if (line.startsWith("  Entries: ")) {
        entries.add(Long.parseLong(line.substring(11)));
      }
      if (line.startsWith("  Last transaction ID: ")) {
        assertEquals(image.transaction(), Long.parseLong(line.substring(23)));
      }
      if (line.startsWith("  Number of pages used: ")) {
        assertEquals(image.lastPage() + 1, Long.parseLong(line.substring(24)));
      }
      if (line.startsWith("  Free pages: ")) {
        assertEquals(image.freePages(), Long.parseLong(line.substring(14)));
      }
    }
    // The free list, the main database with its records of others, then those by name.
    List<Long> expected = new ArrayList<>();
    long named = model.databases.keySet().stream().filter(name -> !name.isEmpty()).count();
    Model.Database main = model.databases.get("");
    expected.add((main == null ? 0 : main.count()) + named);
    model.databases.forEach(
        (name, database) -> {
          if (!name.isEmpty()) {
            expected.add(database.count());
          }
        });
    assertEquals(expected, entries.subList(1, entries.size()), stat);
  }

  private static String digestCommand(Path path, Model model) {
    StringBuilder command = new StringBuilder("digest ").append(path);
    model.databases.keySet().forEach(n -> command.append(' ').append(n.isEmpty() ? "-" : n));
    return command.toString();
  }

  private static String digest(Model model) {
    try {
      MessageDigest sums = MessageDigest.getInstance("SHA-256");
      long[] total = new long[1];
      new TreeMap<>(model.databases)
          .values()
          .forEach(
              database ->
                  database.entries.forEach(
                      (key, values) ->
                          values.forEach(
                              value -> {
                                total[0]++;
                                update(sums, key);
                                update(sums, value);
                              })));
      return total[0] + " " + HexFormat.of().formatHex(sums.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static void update(MessageDigest sums, byte[] part) {
    sums.update(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(part.length).array());
    sums.update(part);
  }
}
