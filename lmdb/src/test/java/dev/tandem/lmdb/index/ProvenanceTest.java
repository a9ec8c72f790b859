package dev.tandem.lmdb.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Reference;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.testkit.TestSeed;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;
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
      Database main = snapshot.main();
      return Provenance.derive(main, RecordIndex.build(main, false, Progress.SILENT));
    }
  }

  @Test
  void derivesTheParametersOfCaffesDatabases() throws Exception {
    make("cifar,20000,3083,1000,0,8");
    Provenance.Derivation derived = derive("cifar");
    assertEquals("", derived.reason());
    assertEquals(
        Optional.of(new Provenance(1000, 155, 226, 3083, Provenance.Order.ASCENDING, 2, 8, 4096)),
        derived.provenance());
    assertEquals(20_000, derived.agreeing());
  }

  @Test
  void computesTheOffsetsOfRandomRegularDatabases() throws Exception {
    SplittableRandom random = TestSeed.of(ProvenanceTest.class).random();
    int cases = 24;
    String[] made = new String[cases];
    for (int i = 0; i < cases; i++) {
      int size = random.nextInt(3) == 0 ? random.nextInt(2, 1900) : random.nextInt(2100, 20_000);
      int records = random.nextInt(1, Math.min(20_000, 60_000_000 / (size + 100)));
      int every = random.nextInt(10) == 0 ? records : 1 + random.nextInt(1 + records / 3);
      made[i] =
          String.join(
              ",",
              "c" + i,
              Integer.toString(records),
              Integer.toString(size),
              Integer.toString(every),
              random.nextInt(4) == 0 ? "1" : "0",
              Integer.toString(random.nextInt(6, 40)));
    }
    make(made);
    for (int i = 0; i < cases; i++) {
      Provenance.Derivation derived = derive("c" + i);
      long records = Long.parseLong(made[i].split(",", -1)[1]);
      assertEquals(
          records,
          derived.agreeing(),
          made[i] + ": " + derived.provenance() + " " + derived.reason());
    }
  }

  /** Leaves of the first commits come back to the pages where they would be without commits. */
  @Test
  void findsSmallTransactionsWhosePagesAreUsedAgain() throws Exception {
    make("again,62,329,3,0,10");
    Provenance.Derivation derived = derive("again");
    assertEquals("", derived.reason());
    assertEquals(3, derived.provenance().orElseThrow().commitEvery());
    assertEquals(62, derived.agreeing());
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
    assertEquals("records differ in size: 0 and 1 bytes", irregular.reason());
    String shuffled = derive("shuffled").reason();
    assertTrue(shuffled.endsWith("they were not filled in ascending order"), shuffled);
  }
}
