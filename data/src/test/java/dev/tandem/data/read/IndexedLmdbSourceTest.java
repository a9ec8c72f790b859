package dev.tandem.data.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.data.DataRecord;
import dev.tandem.data.LmdbSource;
import dev.tandem.data.RecordBlock;
import dev.tandem.posix.PageCache;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IndexedLmdbSourceTest {

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(Layout.class)
  void fetchesGiveTheRecordsOfTheMappedSource(Layout layout) {
    SplittableRandom random = TestSeed.of(IndexedLmdbSourceTest.class).random();
    layout.write(folder, random);
    PageCache cache = PageCache.capability().orElseThrow();
    try (LmdbSource expected = LmdbSource.open(folder);
        IndexedLmdbSource source = IndexedLmdbSource.open(folder)) {
      assertEquals(expected.size(), source.size());
      for (int fetch = 0; fetch < 12; fetch++) {
        if (fetch % 2 == 0) {
          cache.drop(folder.resolve("data.mdb"));
        }
        long[] ordinals = new long[random.nextInt(100)];
        for (int i = 0; i < ordinals.length; i++) {
          ordinals[i] = random.nextLong(expected.size());
        }
        try (RecordBlock block = source.fetch(ordinals)) {
          assertEquals(ordinals.length, block.size());
          for (int i = 0; i < ordinals.length; i++) {
            assertSame(expected.record(ordinals[i]), block.record(i));
          }
        }
      }
      long last = expected.size() - 1;
      assertSame(expected.record(last), source.record(last));
    }
  }

  private static void assertSame(DataRecord expected, DataRecord actual) {
    assertEquals(
        -1,
        MemorySegment.mismatch(
            expected.key(),
            0,
            expected.key().byteSize(),
            actual.key(),
            0,
            actual.key().byteSize()));
    assertEquals(-1, expected.value().mismatch(actual.value()));
  }
}
