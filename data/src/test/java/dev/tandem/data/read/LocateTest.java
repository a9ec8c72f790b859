package dev.tandem.data.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.LmdbSource;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.format.Keys;
import dev.tandem.data.importing.CommittingWriter;
import dev.tandem.data.read.mode.BatchPlan;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ModeSettings;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.data.read.mode.ReadRequest;
import dev.tandem.data.read.request.Requests;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records that are found without an index. */
class LocateTest {

  private static final Requests REQUESTS = new Requests(1 << 16, 4, Requests.Route.DIRECT);

  @TempDir Path folder;

  private final SplittableRandom random = TestSeed.of(LocateTest.class).random();

  private void write(int records, int size, int every, String suffix) {
    WriterOptions options = WriterOptions.DEFAULT.withSync(false);
    try (CommittingWriter writer = CommittingWriter.open(folder, options, every)) {
      for (int i = 0; i < records; i++) {
        byte[] value = new byte[size];
        random.nextBytes(value);
        writer.put(MemorySegment.ofArray(Keys.padded(i, 8, suffix)), MemorySegment.ofArray(value));
      }
      writer.finish();
    }
  }

  private boolean indexed() {
    return Files.exists(folder.resolve("data.mdb.tdx"));
  }

  @ParameterizedTest
  @CsvSource({
    "2000, 3083, 100, ''",
    "2000, 3083, 2000, _name",
    "3000, 200, 700, ''",
    "300, 30000, 40, _x"
  })
  void computedLocationsGiveTheRecordsOfTheMappedSource(
      int records, int size, int every, String suffix) {
    write(records, size, every, suffix);
    try (LmdbSource expected = LmdbSource.open(folder);
        IndexedLmdbSource source =
            IndexedLmdbSource.open(folder, ReadMode.PROV, Locate.PROVENANCE, REQUESTS)) {
      assertEquals(records, source.size());
      for (int fetch = 0; fetch < 10; fetch++) {
        long[] ordinals = random.longs(100, 0, records).toArray();
        try (RecordBlock block = source.fetch(ordinals)) {
          for (int i = 0; i < ordinals.length; i++) {
            assertEquals(
                -1, expected.record(ordinals[i]).value().mismatch(block.record(i).value()));
            assertEquals(-1, expected.record(ordinals[i]).key().mismatch(block.record(i).key()));
          }
        }
      }
    }
    assertFalse(indexed());
  }

  @Test
  void readersByProvenanceReadWhatReadersByIndexRead() {
    write(2500, 3083, 300, "");
    for (ReadMode mode : new ReadMode[] {ReadMode.PROV, ReadMode.COAL}) {
      for (BatchPlan.Access access : BatchPlan.Access.values()) {
        ReaderReport computed = ReadJob.run(request(mode, access, Locate.PROVENANCE));
        assertEquals("computed from creation parameters", computed.index());
        assertFalse(indexed());
        ReaderReport built = ReadJob.run(request(mode, access, Locate.AUTO));
        assertTrue(indexed());
        assertEquals(built.checksum(), computed.checksum());
        assertEquals(built.records(), computed.records());
        folder.resolve("data.mdb.tdx").toFile().delete();
      }
    }
  }

  private ReadRequest request(ReadMode mode, BatchPlan.Access access, Locate locate) {
    return new ReadRequest(
        folder,
        mode,
        ModeSettings.DEFAULT,
        128,
        ReadRequest.EPOCH,
        access,
        new Seed(5),
        false,
        CachePolicy.NONE,
        locate);
  }

  @Test
  void aDatabaseThatFollowsFromNoParametersIsRefusedOrIndexed() {
    Layout.VARIABLE.write(folder, random);
    UsageException e =
        assertThrows(
            UsageException.class,
            () -> IndexedLmdbSource.open(folder, ReadMode.PROV, Locate.PROVENANCE, REQUESTS));
    assertTrue(e.getMessage().startsWith("cannot locate the records of "), e.getMessage());
    assertTrue(e.getMessage().endsWith("; use locate index or auto"), e.getMessage());
    assertThrows(UsageException.class, () -> Locate.PROVENANCE.check(folder));
    assertEquals("built", origin(false));
  }

  @Test
  void autoComputesWhereNoIndexCanBeStored() {
    write(500, 3083, 100, "");
    assertEquals("computed from creation parameters", origin(false));
    assertFalse(indexed());
    assertEquals("built", origin(true));
    assertTrue(indexed());
  }

  /** Keys that do not count prove nothing about a leaf alone: an index is built. */
  @Test
  void autoDoesNotComputeWhereKeysDoNotCount() {
    write(500, 3083, 100, "_name");
    assertEquals("built", origin(false));
  }

  private String origin(boolean stored) {
    try (Environment environment = Environment.open(folder);
        Snapshot snapshot = environment.snapshot()) {
      return Locate.AUTO.index(folder, snapshot, stored).origin();
    }
  }

  @Test
  void modesThatDoNotLocateRefuseIt() {
    UsageException e =
        assertThrows(
            UsageException.class,
            () -> request(ReadMode.DIO, BatchPlan.Access.STRIDED, Locate.INDEX));
    assertEquals("locate index is for read modes prov, coal and stag, not dio", e.getMessage());
  }
}
