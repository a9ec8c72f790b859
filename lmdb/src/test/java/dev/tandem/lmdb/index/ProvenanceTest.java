package dev.tandem.lmdb.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Reference;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.write.EnvironmentWriter;
import dev.tandem.lmdb.write.WriteTransaction;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Offsets computed from provenance parameters, against databases that liblmdb made so. */
class ProvenanceTest {

  private static final String SCRIPT =
      """
      import lmdb, sys
      for case in sys.argv[2:]:
          name, records, size, commit_every, append, width = case.split(",")
          env = lmdb.open(sys.argv[1] + "/" + name, map_size=1 << 32, sync=False)
          txn = env.begin(write=True)
          for i in range(int(records)):
              txn.put(b"%0*d" % (int(width), i), b"x" * int(size), append=append == "1")
              if (i + 1) % int(commit_every) == 0:
                  txn.commit()
                  txn = env.begin(write=True)
          txn.commit()
          env.close()
      """;

  @TempDir Path folder;

  private void make(String... cases) throws Exception {
    Reference.assume();
    Path script = folder.resolve("make.py");
    Files.writeString(script, SCRIPT, StandardCharsets.UTF_8);
    String[] arguments = new String[cases.length + 1];
    arguments[0] = folder.toString();
    System.arraycopy(cases, 0, arguments, 1, cases.length);
    Reference.run(script, arguments);
  }

  private Provenance.Derivation derive(String name) {
    try (Environment environment = Environment.open(folder.resolve(name));
        Snapshot snapshot = environment.snapshot()) {
      return Provenance.derive(snapshot.main());
    }
  }

  /** The computed index is equal to the one that is built from the tree, in any order of asking. */
  private void assertLocated(String name) {
    try (Environment environment = Environment.open(folder.resolve(name));
        Snapshot snapshot = environment.snapshot()) {
      Database main = snapshot.main();
      RecordIndex built = RecordIndex.build(main, false, Progress.SILENT);
      Provenance.Derivation derived = Provenance.derive(main);
      assertEquals("", derived.reason(), name);
      Provenance provenance = derived.provenance().orElseThrow();
      assertEquals(main.size(), provenance.agreeing(built), name + ": " + provenance);
      RecordIndex computed = RecordIndex.compute(main, provenance, false);
      assertEquals("computed from creation parameters", computed.origin());
      assertTrue(computed.describes(main));
      assertEquals(built.size(), computed.size());
      assertEquals(built.longestValue(), computed.longestValue());
      assertEquals(built.numberedKeys(), computed.numberedKeys());
      for (long i = built.size() - 1; i >= 0; i--) {
        assertEquals(built.offset(i), computed.offset(i));
        assertEquals(built.length(i), computed.length(i));
        assertEquals(built.leaf(i), computed.leaf(i));
      }
      long middle = built.size() / 2;
      assertEquals(-1, built.key(snapshot, middle).mismatch(computed.key(snapshot, middle)));
    }
  }

  @Test
  void derivesTheParametersOfCaffesDatabases() throws Exception {
    make("cifar,20000,3083,1000,0,8");
    assertEquals(
        new Provenance.Derivation(
            Optional.of(
                new Provenance(1000, 155, 226, 3083, Provenance.Order.ASCENDING, 2, 8, 4096)),
            ""),
        derive("cifar"));
    assertLocated("cifar");
  }

  @Test
  void locatesTheRecordsOfRandomRegularDatabases() throws Exception {
    locatesRandomDatabases(10);
  }

  @Test
  @Tag("slow")
  void locatesTheRecordsOfManyRandomRegularDatabases() throws Exception {
    locatesRandomDatabases(100);
  }

  private void locatesRandomDatabases(int cases) throws Exception {
    SplittableRandom random = TestSeed.of(ProvenanceTest.class).random();
    String[] made = new String[cases];
    for (int i = 0; i < cases; i++) {
      made[i] = "c" + i + "," + randomShape(random);
    }
    make(made);
    for (String name : made) {
      assertLocated(name.substring(0, name.indexOf(',')));
    }
  }

  /** Records, bytes of a value, records per commit, whether appended, bytes of a key. */
  private static String randomShape(SplittableRandom random) {
    int size = random.nextInt(3) == 0 ? random.nextInt(2, 1900) : random.nextInt(2100, 20_000);
    int records = random.nextInt(1, Math.min(20_000, 60_000_000 / (size + 100)));
    int every = random.nextInt(10) == 0 ? records : 1 + random.nextInt(1 + records / 3);
    return String.join(
        ",",
        Integer.toString(records),
        Integer.toString(size),
        Integer.toString(every),
        random.nextInt(4) == 0 ? "1" : "0",
        Integer.toString(random.nextInt(6, 40)));
  }

  @Test
  void locatesTheRecordsOfOurWriter() throws Exception {
    SplittableRandom random = TestSeed.of(ProvenanceTest.class).derive(1).random();
    for (int i = 0; i < 6; i++) {
      String shape = randomShape(random);
      String[] parts = shape.split(",", -1);
      write(
          "w" + i,
          Integer.parseInt(parts[0]),
          Integer.parseInt(parts[1]),
          Integer.parseInt(parts[2]),
          parts[3].equals("1"),
          Integer.parseInt(parts[4]),
          4096 << random.nextInt(3));
      assertLocated("w" + i);
    }
  }

  /**
   * In one leaf: several numbers of records per commit explain its page, one explains all records.
   */
  @Test
  void locatesTheRecordsOfASingleLeaf() {
    write("small", 129, 15_052, 37, false, 30, 16_384);
    assertLocated("small");
  }

  private void write(
      String name, int records, int size, int every, boolean append, int width, int pageSize) {
    WriterOptions options = WriterOptions.DEFAULT.withSync(false).withPageSize(pageSize);
    try (EnvironmentWriter writer = EnvironmentWriter.open(folder.resolve(name), options)) {
      for (int first = 0; first < records; first += every) {
        try (WriteTransaction transaction = writer.begin()) {
          for (int i = first; i < Math.min(first + every, records); i++) {
            ByteBuffer key = bytes("%0" + width + "d", i);
            ByteBuffer value = ByteBuffer.allocate(size);
            if (append) {
              transaction.main().append(key, value);
            } else {
              transaction.main().put(key, value);
            }
          }
          transaction.commit();
        }
      }
    }
  }

  private static ByteBuffer bytes(String format, int number) {
    return ByteBuffer.wrap(format.formatted(number).getBytes(StandardCharsets.UTF_8));
  }

  /** Leaves of the first commits come back to the pages where they would be without commits. */
  @Test
  void findsSmallTransactionsWhosePagesAreUsedAgain() throws Exception {
    make("again,62,329,3,0,10");
    assertEquals(3, derive("again").provenance().orElseThrow().commitEvery());
    assertLocated("again");
  }

  /**
   * One value in a leaf that deriving does not look at is a byte shorter: its pages are all where
   * the parameters say, so only reading notices.
   */
  @Test
  void aDifferenceIsNoticedWhileReading() throws Exception {
    int records = 12_000;
    int different = 4_001;
    WriterOptions options = WriterOptions.DEFAULT.withSync(false);
    try (EnvironmentWriter writer = EnvironmentWriter.open(folder.resolve("odd"), options);
        WriteTransaction transaction = writer.begin()) {
      for (int i = 0; i < records; i++) {
        int size = i == different ? 2999 : 3000;
        transaction.main().put(bytes("%08d", i), ByteBuffer.allocate(size));
      }
      transaction.commit();
    }
    try (Environment environment = Environment.open(folder.resolve("odd"));
        Snapshot snapshot = environment.snapshot()) {
      Database main = snapshot.main();
      RecordIndex built = RecordIndex.build(main, false, Progress.SILENT);
      Provenance provenance = Provenance.derive(main).provenance().orElseThrow();
      RecordIndex strict = RecordIndex.compute(main, provenance, false);
      assertEquals(built.offset(0), strict.offset(0));
      WorkFailedException e =
          assertThrows(WorkFailedException.class, () -> strict.offset(different + 1));
      assertEquals(
          "%s does not follow from its creation parameters: record 4001 has 2999 bytes instead of 3000; locate its records by index"
              .formatted(environment.file()),
          e.getMessage());
      RecordIndex careful = RecordIndex.compute(main, provenance, true);
      for (long i = 0; i < records; i++) {
        assertEquals(built.offset(i), careful.offset(i));
        assertEquals(built.length(i), careful.length(i));
        assertEquals(built.leaf(i), careful.leaf(i));
      }
    }
  }

  @Test
  void saysWhyWhereNothingFollows() throws Exception {
    Reference.assume();
    Path script = folder.resolve("irregular.py");
    Files.writeString(
        script,
        """
        import lmdb, sys, random
        env = lmdb.open(sys.argv[1] + "/irregular", map_size=1 << 30, sync=False)
        with env.begin(write=True) as txn:
            for i in range(1000):
                txn.put(b"%08d" % i, b"x" * (i % 50))
        env = lmdb.open(sys.argv[1] + "/shuffled", map_size=1 << 30, sync=False)
        keys = list(range(5000))
        random.Random(1).shuffle(keys)
        with env.begin(write=True) as txn:
            for i in keys:
                txn.put(b"%08d" % i, b"x" * 500)
        """,
        StandardCharsets.UTF_8);
    Reference.run(script, folder.toString());
    Provenance.Derivation irregular = derive("irregular");
    assertEquals(Optional.empty(), irregular.provenance());
    assertTrue(irregular.reason().contains("added in ascending order would"), irregular.reason());
    String shuffled = derive("shuffled").reason();
    assertTrue(shuffled.contains("added in ascending order would fill"), shuffled);
  }
}
