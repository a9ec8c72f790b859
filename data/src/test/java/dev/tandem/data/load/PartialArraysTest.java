package dev.tandem.data.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Progress;
import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.WorkFailedException;
import dev.tandem.core.numpy.NpyHeader;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.DataRecord;
import dev.tandem.data.LmdbSource;
import dev.tandem.data.PartialSource;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.format.Keys;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.data.importing.Importer;
import dev.tandem.data.importing.RecordSink;
import dev.tandem.data.read.IndexedLmdbSource;
import dev.tandem.data.source.Sources;
import dev.tandem.lmdb.write.WriterOptions;
import dev.tandem.posix.PageCache;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Regions of samples are the same, whether all of a record is read or only that region. */
class PartialArraysTest {

  private static final int RECORDS = 5;

  @TempDir Path folder;

  @Test
  void partsOfDatabasesAreThoseOfWholeRecords() {
    Seed seed = TestSeed.of(PartialArraysTest.class);
    for (int round = 0; round < 12; round++) {
      SplittableRandom random = seed.derive(round).random();
      List<Integer> shape = shape(random);
      boolean bytes = random.nextBoolean();
      int values = random.nextInt(3);
      List<ArrayRecord> arrays = new ArrayList<>();
      for (int i = 0; i < RECORDS; i++) {
        arrays.add(array(shape, bytes, values, random));
      }
      Path database = folder.resolve("db" + round);
      build(database, arrays);
      Region region = region(shape, random);
      try (LmdbSource mapped = LmdbSource.open(database);
          IndexedLmdbSource indexed = IndexedLmdbSource.open(database)) {
        check(mapped, shape, values, region);
        PageCache.capability().orElseThrow().drop(database.resolve("data.mdb"));
        check(indexed, shape, values, region);
      }
    }
  }

  @Test
  void partsOfNumpyArraysAreThoseOfWholeRecords() throws Exception {
    SplittableRandom random = TestSeed.of(PartialArraysTest.class).random();
    for (DType type : List.of(DType.UINT8, DType.FLOAT32, DType.FLOAT64)) {
      List<Integer> shape = shape(random);
      long elements = shape.stream().reduce(RECORDS, (a, b) -> a * b);
      ByteBuffer x =
          ByteBuffer.allocate((int) elements * type.bytes()).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < elements; i++) {
        switch (type) {
          case UINT8 -> x.put((byte) random.nextInt());
          case FLOAT32 -> x.putFloat((float) random.nextDouble());
          default -> x.putDouble(random.nextDouble());
        }
      }
      List<Long> extents = new ArrayList<>(List.of((long) RECORDS));
      shape.forEach(extent -> extents.add((long) extent));
      write("x.npy", type, new Shape(extents), x);
      ByteBuffer y = ByteBuffer.allocate(RECORDS * 2 * 4).order(ByteOrder.LITTLE_ENDIAN);
      write("y.npy", DType.FLOAT32, Shape.of(RECORDS, 2), y);
      try (RecordSource source = Sources.open(folder.resolve("x.npy"), Split.TRAIN)) {
        check(source, shape, 2, region(shape, random));
      }
    }
  }

  @Test
  void aRecordOfAnotherLengthIsBad() {
    List<ArrayRecord> arrays =
        List.of(
            ArrayRecord.of(List.of(1, 4), new float[4], 1),
            ArrayRecord.of(List.of(1, 5), new float[5], 1));
    Path database = folder.resolve("db");
    build(database, arrays);
    try (LmdbSource source = LmdbSource.open(database);
        IndexedLmdbSource indexed = IndexedLmdbSource.open(database)) {
      Region region = new Region(List.of(Ranges.all(1), Ranges.of(4, 1, 3)));
      PartialArrays parts =
          preparation(List.of(1, 4), 0)
              .partial(region, ArrayRecord.Header.decode(source.record(0).value()));
      for (RecordSource each : List.of(source, indexed)) {
        try (RecordBlock block = each.fetch(new long[] {1, 0}, parts.parts())) {
          RecordPreparation.Writer writer = parts.writer();
          WorkFailedException bad =
              assertThrows(WorkFailedException.class, () -> writer.decode(block.record(0)));
          assertTrue(bad.getMessage().contains("not as long as the first"), bad::getMessage);
          writer.decode(block.record(1));
        }
      }
    }
  }

  private void write(String name, DType type, Shape shape, ByteBuffer elements) throws Exception {
    byte[] header = NpyHeader.encode(type, shape);
    byte[] bytes = new byte[header.length + elements.capacity()];
    System.arraycopy(header, 0, bytes, 0, header.length);
    elements.duplicate().rewind().get(bytes, header.length, elements.capacity());
    Files.write(folder.resolve(name), bytes);
  }

  private static void build(Path database, List<ArrayRecord> arrays) {
    new DatabaseBuilder(database, true, WriterOptions.DEFAULT, 100, Progress.SILENT)
        .build(
            new Importer() {
              @Override
              public OptionalLong count() {
                return OptionalLong.of(arrays.size());
              }

              @Override
              public void importTo(RecordSink sink) {
                for (int i = 0; i < arrays.size(); i++) {
                  sink.put(
                      MemorySegment.ofArray(Keys.padded(i, 8)),
                      MemorySegment.ofArray(arrays.get(i).encode()));
                }
              }
            });
  }

  private static List<Integer> shape(SplittableRandom random) {
    List<Integer> shape = new ArrayList<>(List.of(random.nextInt(1, 4)));
    int dimensions = random.nextInt(1, 4);
    for (int i = 0; i < dimensions; i++) {
      shape.add(random.nextInt(1, dimensions == 1 ? 9_000 : 40));
    }
    return shape;
  }

  private static ArrayRecord array(
      List<Integer> shape, boolean bytes, int values, SplittableRandom random) {
    int count = shape.stream().reduce(1, (a, b) -> a * b);
    float[] targets = new float[values];
    if (bytes) {
      byte[] elements = new byte[count];
      random.nextBytes(elements);
      return ArrayRecord.ofBytes(
          shape, MemorySegment.ofArray(elements), values == 0 ? 3 : -1, targets);
    }
    float[] elements = new float[count];
    for (int i = 0; i < count; i++) {
      elements[i] = (float) random.nextDouble(-1, 1);
    }
    return ArrayRecord.of(shape, elements, values == 0 ? 3 : -1, targets);
  }

  /** All channels; of the other dimensions a part that may stick out at both ends. */
  private static Region region(List<Integer> shape, SplittableRandom random) {
    List<Ranges> dimensions = new ArrayList<>(List.of(Ranges.all(shape.getFirst())));
    for (int extent : shape.subList(1, shape.size())) {
      int from = random.nextInt(extent);
      int to = random.nextInt(from, extent) + 1;
      int before = random.nextInt(3);
      int after = random.nextInt(3);
      dimensions.add(
          random.nextInt(3) == 0
              ? Ranges.all(extent)
              : new Ranges(
                  extent,
                  before + to - from + after,
                  List.of(new Ranges.Run(from, before, to - from))));
    }
    return new Region(dimensions);
  }

  private static ArrayPreparation preparation(List<Integer> shape, int values) {
    return new ArrayPreparation(
        shape, values == 0 ? 10 : 0, values, Normalisation.all(0.25, 0.5), Normalisation.all(0, 1));
  }

  private static void check(RecordSource source, List<Integer> shape, int values, Region region) {
    assertTrue(source.readsParts());
    ArrayPreparation whole = preparation(shape, values);
    RegionPreparation every = new RegionPreparation(whole, region);
    PartialArrays partial =
        whole.partial(region, ArrayRecord.Header.decode(source.record(0).value()));
    assertEquals(region.local().elements(), partial.values());
    RecordSource parts = new PartialSource(source, partial.parts());
    try (Arena arena = Arena.ofConfined();
        RecordBlock block = parts.fetch(new long[] {4, 0, 4, 2})) {
      for (int i = 0; i < 4; i++) {
        DataRecord record = source.record(new long[] {4, 0, 4, 2}[i]);
        MemorySegment all = sample(arena, whole, record);
        MemorySegment expected = sample(arena, every, record);
        assertEquals(-1, expected.mismatch(sample(arena, partial, block.record(i))), "parts");
        assertPlaces(region, all, expected);
      }
    }
  }

  private static MemorySegment sample(
      Arena arena, RecordPreparation preparation, DataRecord record) {
    MemorySegment input = arena.allocate(preparation.values() * 4L, 8);
    input.fill((byte) 1);
    MemorySegment target = arena.allocate(preparation.targetBytes(), 8);
    RecordPreparation.Writer writer = preparation.writer();
    writer.decode(record);
    writer.write(0, 0, input, target);
    return input;
  }

  /** Place by place: what a run covers comes from there, the rest is 0. */
  private static void assertPlaces(Region region, MemorySegment whole, MemorySegment local) {
    long[] extents = region.local().toArray();
    for (long i = 0; i < region.local().elements(); i++) {
      long rest = i;
      long stride = 1;
      long from = 0;
      boolean held = true;
      for (int d = extents.length - 1; d >= 0; d--) {
        long at = rest % extents[d];
        rest /= extents[d];
        Ranges ranges = region.dimensions().get(d);
        long place = -1;
        for (Ranges.Run run : ranges.runs()) {
          if (at >= run.at() && at < run.at() + run.length()) {
            place = run.from() + at - run.at();
          }
        }
        held &= place >= 0;
        from += place * stride;
        stride *= ranges.whole();
      }
      float expected = held ? whole.getAtIndex(ValueLayout.JAVA_FLOAT, from) : 0;
      assertEquals(expected, local.getAtIndex(ValueLayout.JAVA_FLOAT, i));
    }
  }
}
