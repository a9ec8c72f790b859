package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.lmdb.DatabaseFlags;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteDatabase;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What we print is what Debian's mdb_dump prints, and both load what the other printed. */
class DataDumpLoadTest {

  private static final int CASES = 2;
  private static final int MANY_CASES = 300;

  /** Databases of all flags with random keys, values, commits and deletions, by liblmdb. */
  private static final String RANDOM_DATABASE =
      """
      import lmdb, random, struct, sys
      r = random.Random(int(sys.argv[2]))
      env = lmdb.open(sys.argv[1], map_size=1 << 30, max_dbs=20, sync=False,
                      max_readers=r.choice([10, 126, 300]))
      kinds = [dict(), dict(reverse_key=True), dict(integerkey=True), dict(dupsort=True),
               dict(dupsort=True, dupfixed=True), dict(dupsort=True, dupfixed=True, integerdup=True),
               dict(dupsort=True, reverse_key=True), dict(integerkey=True, dupsort=True)]
      def fill(db, kind):
          keys = []
          for i in range(r.choice([0, 1, 30, 300])):
              with env.begin(write=True, db=db) as t:
                  for j in range(r.randrange(1, 9)):
                      if kind.get('integerkey'):
                          key = struct.pack('=Q', r.getrandbits(40))
                      else:
                          key = r.randbytes(r.randrange(1, 40) if r.random() < .95 else 511)
                      keys.append(key)
                      for d in range(r.randrange(1, 60) if kind.get('dupsort') and r.random() < .1 else 1):
                          if kind.get('dupfixed'):
                              value = r.randbytes(8)
                          elif kind.get('dupsort'):
                              value = r.randbytes(r.randrange(1, 200))
                          else:
                              value = r.randbytes(r.choice([0, 1, 50, 1900, 2100, 5000, 70000]) if r.random() < .1
                                                  else r.randrange(0, 90))
                          t.put(key, value)
                  if r.random() < .2:
                      t.delete(r.choice(keys))
      if r.random() < .8:
          for n, kind in enumerate(kinds):
              fill(env.open_db(b'database %d' % n, **kind), kind)
      if r.random() < .6:
          fill(None, {})
      env.close()
      """;

  @TempDir Path folder;

  private Path dump(Path database, Object... options) throws Exception {
    Path file = Files.createTempFile(folder, "our", ".dump");
    Object[] arguments = new Object[options.length + 5];
    arguments[0] = "data";
    arguments[1] = "dump";
    arguments[2] = "-f";
    arguments[3] = file;
    System.arraycopy(options, 0, arguments, 4, options.length);
    arguments[arguments.length - 1] = database;
    CommandRun.done(arguments);
    return file;
  }

  private void compareWithMdbDump(Path database) throws Exception {
    assertSame(database);
    assertSame(database, "-p");
    String names =
        new String(
            Peer.run("/bin/sh", "-c", "mdb_dump -l " + database + " 2>/dev/null || true"),
            StandardCharsets.UTF_8);
    if (names.isEmpty()) {
      CommandRun.failed(1, "data", "dump", "-a", database);
      return;
    }
    assertSame(database, "-l");
    assertSame(database, "-a");
    assertSame(database, "-a", "-p");
    for (String name : names.lines().toList()) {
      assertSame(database, "-s", name);
    }
  }

  private void assertSame(Path database, Object... options) throws Exception {
    Object[] command = new Object[options.length + 2];
    command[0] = "mdb_dump";
    System.arraycopy(options, 0, command, 1, options.length);
    command[command.length - 1] = database;
    byte[] expected = Peer.run(command);
    assertArrayEquals(expected, Files.readAllBytes(dump(database, options)));
  }

  @Test
  void dumpsOfLiblmdbDatabasesAreThoseOfMdbDump() throws Exception {
    compareLiblmdbDatabases(CASES);
  }

  @Test
  @Tag("slow")
  void dumpsOfManyLiblmdbDatabasesAreThoseOfMdbDump() throws Exception {
    compareLiblmdbDatabases(MANY_CASES);
  }

  private void compareLiblmdbDatabases(int cases) throws Exception {
    Peer.require("mdb_dump", "lmdb-utils");
    Peer.requirePythonLmdb();
    Seed seed = TestSeed.of(DataDumpLoadTest.class);
    for (int i = 0; i < cases; i++) {
      Path database = folder.resolve("db" + i);
      Peer.python(RANDOM_DATABASE, database, seed.derive(i).value());
      compareWithMdbDump(database);
      roundTrip(database);
    }
  }

  /** load(dump(db)) == db, with our load and with mdb_load. */
  private void roundTrip(Path database) throws Exception {
    boolean named =
        CommandRun.of("data", "dump", "-l", "-f", folder.resolve("names"), database).exitCode()
            == 0;
    Path ours = dump(database, named ? new Object[] {"-a"} : new Object[0]);
    Path copy = folder.resolve("copy");
    CommandRun.done("data", "load", "--overwrite", "-f", ours, copy);
    assertSameRecords(ours, dump(copy, named ? new Object[] {"-a"} : new Object[0]));
    Peer.run("mdb_stat", "-e", "-a", "-f", copy);
    CommandRun.done("data", "load", "--overwrite", "--append", "-f", ours, copy);
    assertSameRecords(ours, dump(copy, named ? new Object[] {"-a"} : new Object[0]));
    Path theirs = Files.createTempDirectory(folder, "theirs");
    Peer.run("mdb_load", "-f", ours, theirs);
    assertSameRecords(ours, dump(theirs, named ? new Object[] {"-a"} : new Object[0]));
    // The whole environment, main database and all.
    CommandRun.done("data", "import", "--overwrite", database, copy);
    assertSameRecords(ours, dump(copy, named ? new Object[] {"-a"} : new Object[0]));
    Peer.run("mdb_stat", "-e", "-a", "-f", copy);
    assertEquals(
        plainRecords(dump(database)), plainRecords(dump(copy)), "records of the main database");
  }

  /** Named databases are described by 48 bytes that differ between equal databases. */
  private static String plainRecords(Path dump) throws Exception {
    String all = Files.readString(dump, StandardCharsets.ISO_8859_1);
    String header = "HEADER=END\n";
    List<String> lines = all.substring(all.indexOf(header) + header.length()).lines().toList();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i + 1 < lines.size(); i += 2) {
      text.append(lines.get(i)).append('\n');
      if (lines.get(i + 1).length() != 97) {
        text.append(lines.get(i + 1)).append('\n');
      }
    }
    return text.toString();
  }

  private static void assertSameRecords(Path expected, Path actual) throws Exception {
    assertEquals(withoutSizes(expected), withoutSizes(actual));
  }

  private static String withoutSizes(Path dump) throws Exception {
    return Files.readString(dump, StandardCharsets.ISO_8859_1)
        .replaceAll("(?m)^(mapsize|maxreaders)=.*\n", "");
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 16384})
  void dumpsOfOurDatabasesAreThoseOfMdbDump(int pageSize) throws Exception {
    Peer.require("mdb_dump", "lmdb-utils");
    SplittableRandom random = TestSeed.of(DataDumpLoadTest.class).random();
    Path database = folder.resolve("ours");
    WriterOptions options = WriterOptions.DEFAULT.withPageSize(pageSize);
    for (int commit = 0; commit < 10; commit++) {
      try (EnvironmentWriter writer = EnvironmentWriter.open(database, options);
          WriteTransaction transaction = writer.begin()) {
        WriteDatabase plain = transaction.database("plain");
        WriteDatabase many =
            transaction.database("many", DatabaseFlags.DUP_SORT, DatabaseFlags.DUP_FIXED);
        for (int i = 0; i < 50; i++) {
          byte[] key = new byte[1 + random.nextInt(60)];
          random.nextBytes(key);
          byte[] value = new byte[random.nextInt(i == 0 ? 50_000 : 300)];
          random.nextBytes(value);
          plain.put(key, value);
          byte[] fixed = new byte[6];
          random.nextBytes(fixed);
          many.put(new byte[] {(byte) (i % 7)}, fixed);
          transaction.main().put(new byte[] {'k', (byte) i}, value);
        }
        transaction.commit();
      }
      if (commit % 3 == 0) {
        compareWithMdbDump(database);
      }
    }
  }

  @Test
  void standardOutputAndInputWork() throws Exception {
    Path database = folder.resolve("made");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", 300, database);
    byte[] expected = Files.readAllBytes(dump(database));
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, false, StandardCharsets.UTF_8));
    try {
      CommandRun.done("data", "dump", database);
    } finally {
      System.setOut(out);
    }
    assertArrayEquals(expected, printed.toByteArray());
    InputStream in = System.in;
    System.setIn(new ByteArrayInputStream(expected));
    try {
      CommandRun.done("data", "load", folder.resolve("copy"));
    } finally {
      System.setIn(in);
    }
    assertSameRecords(dump(database), dump(folder.resolve("copy")));
  }

  @Test
  void printableDumpsLoad() throws Exception {
    Path text = folder.resolve("text");
    Files.writeString(
        text,
        "VERSION=3\nformat=print\ntype=btree\nHEADER=END\n one\n 1\\00\\ff\n two\n \nDATA=END\n");
    Path database = folder.resolve("db");
    CommandRun.done("data", "load", "-f", text, "-s", "numbers", database);
    String dumped = Files.readString(dump(database, "-p", "-s", "numbers"));
    assertTrue(dumped.contains("database=numbers\n"), dumped);
    assertTrue(dumped.endsWith("HEADER=END\n one\n 1\\00\\ff\n two\n \nDATA=END\n"), dumped);
  }

  @Test
  void mergeAddsAllOrNothing() throws Exception {
    String head = "VERSION=3\nformat=print\ntype=btree\nHEADER=END\n";
    Path first = Files.writeString(folder.resolve("first"), head + " b\n 1\nDATA=END\n");
    Path second = Files.writeString(folder.resolve("second"), head + " a\n 2\nDATA=END\n");
    Path cut = Files.writeString(folder.resolve("cut"), head + " c\n 3\n d\n");
    Path database = folder.resolve("db");
    CommandRun.failed(1, "data", "load", "--merge", "-f", first, database);
    assertFalse(Files.exists(database));
    CommandRun.done("data", "load", "-f", first, database);
    CommandRun.done("data", "load", "--merge", "-f", second, database);
    String line = CommandRun.failed(1, "data", "load", "--merge", "-f", cut, database);
    assertTrue(line.contains("cut short"), line);
    line = CommandRun.failed(1, "data", "load", "--merge", "--append", "-f", second, database);
    assertTrue(line.contains("unsorted append"), line);
    assertTrue(
        Files.readString(dump(database, "-p")).endsWith("HEADER=END\n a\n 2\n b\n 1\nDATA=END\n"));
  }
}
