package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.DataRecord;
import dev.tandem.data.HeldRecords;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.data.ValueParts;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.load.ArrayPreparation;
import dev.tandem.data.load.BadRecords;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.load.RegionRows;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import dev.tandem.train.InputPart.Pieces;
import dev.tandem.train.config.StrategyConfig.Input;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whoever reads, each rank has the same input. */
class GroupInputTest {

  private static final int STEPS = 5;

  /** Arrays in memory, some of which may be cut off. */
  private record Arrays3(List<ArrayRecord> arrays, int bad) implements RecordSource {

    @Override
    public long size() {
      return arrays.size();
    }

    @Override
    public DataRecord record(long ordinal) {
      byte[] value = arrays.get((int) ordinal).encode();
      return new DataRecord(
          MemorySegment.ofArray(new byte[] {(byte) ordinal}),
          MemorySegment.ofArray(ordinal == bad ? Arrays.copyOf(value, value.length - 1) : value));
    }

    @Override
    public boolean readsParts() {
      return true;
    }

    @Override
    public RecordBlock fetch(long[] ordinals, Ranges parts) {
      return new HeldRecords(
          Arrays.stream(ordinals)
              .mapToObj(ordinal -> ValueParts.of(record(ordinal), parts))
              .toArray(DataRecord[]::new));
    }

    @Override
    public void close() {}
  }

  /** What a rank had in one step. */
  private record Taken(
      Position position, List<Float> inputs, List<Long> labels, int globalCount, int skipped) {

    static Taken of(Batch batch, MemorySegment images) {
      List<Float> inputs = new ArrayList<>();
      for (float value : images.toArray(ValueLayout.JAVA_FLOAT)) {
        inputs.add(value);
      }
      List<Long> labels =
          Arrays.stream(batch.labels().toArray(ValueLayout.JAVA_LONG)).boxed().toList();
      assertEquals(batch.count(), labels.size());
      return new Taken(batch.position(), inputs, labels, batch.globalCount(), batch.skipped());
    }
  }

  /** A random task: samples, what each rank takes of them, how batches are cut. */
  private static final class Task {

    final int ranks;
    final Shape shape;
    final RecordSource source;
    final Steps steps;
    final Plan plan;
    final List<InputPart> parts = new ArrayList<>();
    final Pieces pieces;
    final ArrayPreparation preparation;

    Task(SplittableRandom random) {
      ranks = random.nextInt(2, 5);
      int dimensions = random.nextInt(1, 4);
      List<Long> extents = new ArrayList<>(List.of(random.nextLong(1, 4)));
      for (int i = 0; i < dimensions; i++) {
        extents.add(random.nextLong(ranks, 8));
      }
      shape = new Shape(extents);
      List<Integer> ints = extents.stream().map(Math::toIntExact).toList();
      int records = random.nextInt(7, 30);
      List<ArrayRecord> arrays = new ArrayList<>();
      for (int i = 0; i < records; i++) {
        byte[] bytes = new byte[Math.toIntExact(shape.elements())];
        random.nextBytes(bytes);
        arrays.add(ArrayRecord.ofBytes(ints, MemorySegment.ofArray(bytes), i % 10));
      }
      source = new Arrays3(arrays, random.nextBoolean() ? random.nextInt(records) : -1);
      preparation =
          new ArrayPreparation(ints, 10, 0, Normalisation.all(0.3, 0.7), Normalisation.UNIT);
      steps =
          new Steps(
              new SampleOrder(new Seed(random.nextLong()), records, Shuffle.BY_INDEX),
              random.nextInt(1, 7),
              EpochEnd.EXACT);
      int groups = random.nextInt(1, 3);
      plan = new Plan(random.nextInt(groups), groups, Position.START, STEPS);
      pieces = random.nextBoolean() ? Pieces.ONE : Pieces.of(random.nextInt(1, 4));
      int kind = random.nextInt(4);
      for (int rank = 0; rank < ranks; rank++) {
        parts.add(
            switch (kind) {
              case 0 -> InputPart.whole(shape);
              case 1 -> new InputPart(Region.all(shape), new SampleShare(rank, ranks));
              case 2 -> new InputPart(region(rank, random), SampleShare.ALL);
              default -> new InputPart(region(rank, random), new SampleShare(rank % 2, 2));
            });
      }
    }

    /** A part of each dimension but the channels, with margins; the first rank may have none. */
    private Region region(int rank, SplittableRandom random) {
      List<Ranges> ranges = new ArrayList<>(List.of(Ranges.all(shape.extents().getFirst())));
      for (long n : shape.extents().subList(1, shape.extents().size())) {
        long low = n * rank / ranks - random.nextInt(3);
        long high = n * (rank + 1) / ranks + random.nextInt(3);
        long from = Math.max(0, low);
        long to = Math.min(n, high);
        ranges.add(new Ranges(n, high - low, List.of(new Ranges.Run(from, from - low, to - from))));
      }
      return new Region(ranges);
    }

    BatchSource open(GroupInput input) {
      return input.open(source, steps, preparation, plan, options(), pieces);
    }

    LoaderOptions options() {
      return LoaderOptions.DEFAULT.withBadRecords(BadRecords.SKIP).withThreads(1);
    }

    /** What a rank is to have, out of whole samples. */
    List<Taken> expected(int rank) {
      List<Taken> taken = new ArrayList<>();
      InputPart part = parts.get(rank);
      RegionRows rows = new RegionRows(part.region());
      try (Loader loader = new Loader(source, steps, preparation, plan, options())) {
        while (loader.hasNext()) {
          Batch batch = loader.next();
          long sample = shape.elements() * Float.BYTES;
          long local = rows.local() * Float.BYTES;
          List<Integer> own = new ArrayList<>();
          int from = 0;
          for (int end : pieces.ends(batch)) {
            for (int i = from; i < end; i++) {
              int place = i - from;
              if (place >= part.samples().from(end - from)
                  && place < part.samples().from(end - from) + part.samples().count(end - from)) {
                own.add(i);
              }
            }
            from = end;
          }
          byte[] inputs = new byte[Math.toIntExact(own.size() * local)];
          for (int i = 0; i < own.size(); i++) {
            rows.copy(
                batch.images().asSlice(own.get(i) * sample, sample),
                MemorySegment.ofArray(inputs).asSlice(i * local, local),
                Float.BYTES);
          }
          MemorySegment floats = Arena.ofAuto().allocate(inputs.length, 8);
          taken.add(Taken.of(batch, floats.copyFrom(MemorySegment.ofArray(inputs))));
        }
      }
      return taken;
    }
  }

  @Test
  void everyWayGivesTheSameInputs() throws Exception {
    Seed seed = TestSeed.of(GroupInputTest.class);
    for (int round = 0; round < 12; round++) {
      Task task = new Task(seed.derive(round).random());
      List<List<Taken>> expected = new ArrayList<>();
      for (int rank = 0; rank < task.ranks; rank++) {
        expected.add(task.expected(rank));
      }
      for (Input mode : Input.values()) {
        assertEquals(expected, all(task, mode), mode + " of round " + round);
      }
    }
  }

  private static List<List<Taken>> all(Task task, Input mode) throws Exception {
    return onRanks(
        task.ranks,
        communicator -> {
          List<Taken> taken = new ArrayList<>();
          int[] everyone = IntStream.range(0, task.ranks).toArray();
          Communicator group = communicator.group(everyone);
          long before = communicator.traffic().bytesSent();
          long computed = 0;
          try (group) {
            assertEquals(task.parts, InputPart.ofAll(group, task.parts.get(group.rank())));
            before = communicator.traffic().bytesSent();
            GroupInput input = new GroupInput(mode, group, task.parts);
            try (BatchSource batches = task.open(input)) {
              while (batches.hasNext()) {
                Batch batch = batches.next();
                taken.add(Taken.of(batch, batch.images()));
                if (mode == Input.LEADER) {
                  computed +=
                      HandedBatches.cost(
                              group.position(), task.parts, Long.BYTES, batch, task.pieces)
                          .bytesSent();
                }
              }
              assertEquals(task.plan.steps(), batches.position().step());
            }
            assertEquals(computed, communicator.traffic().bytesSent() - before, "bytes");
          }
          return taken;
        });
  }

  private interface Work<T> {
    T on(Communicator communicator) throws Exception;
  }

  private static <T> List<T> onRanks(int ranks, Work<T> work) throws Exception {
    return Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          List<T> results = new ArrayList<>();
          try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
            List<Callable<T>> calls = new ArrayList<>();
            for (Communicator communicator : Communicator.threads(ranks)) {
              calls.add(
                  () -> {
                    try (communicator) {
                      return work.on(communicator);
                    }
                  });
            }
            for (Future<T> future : threads.invokeAll(calls)) {
              results.add(future.get());
            }
          }
          return results;
        });
  }

  @Test
  void aRankThatCannotReadTellsTheOthers() throws Exception {
    Shape shape = Shape.of(1, 2);
    ArrayRecord good = ArrayRecord.of(List.of(1, 2), new float[2], 1);
    RecordSource source = new Arrays3(List.of(good, good, good, good), 2);
    ArrayPreparation preparation =
        new ArrayPreparation(List.of(1, 2), 10, 0, Normalisation.UNIT, Normalisation.UNIT);
    Steps steps = new Steps(new SampleOrder(new Seed(1), 4, Shuffle.NONE), 2, EpochEnd.EXACT);
    List<String> failures =
        onRanks(
            2,
            communicator -> {
              List<InputPart> parts = List.of(InputPart.whole(shape), InputPart.whole(shape));
              try (Communicator group = communicator.group(0, 1);
                  BatchSource batches =
                      new GroupInput(Input.LEADER, group, parts)
                          .open(
                              source,
                              steps,
                              preparation,
                              Plan.alone(2),
                              LoaderOptions.DEFAULT,
                              Pieces.ONE)) {
                assertEquals(2, batches.next().count());
                return assertThrows(WorkFailedException.class, batches::next).getMessage();
              }
            });
    assertTrue(failures.get(0).contains("repair or remove it"), failures::toString);
    assertTrue(failures.get(1).contains("could not"), failures::toString);
  }

  @Test
  void partsOfImagesAreRefused() {
    Region half = new Region(List.of(Ranges.all(1), Ranges.of(4, 0, 2), Ranges.all(4)));
    try (Communicator alone = Communicator.alone()) {
      GroupInput input =
          new GroupInput(Input.PARTIAL, alone, List.of(new InputPart(half, SampleShare.ALL)));
      RecordSource source = new Arrays3(List.of(), -1);
      Preparation images = Preparation.plain(new ImageFormat(1, 4, 4, 10, 0, 1));
      TandemException refused =
          assertThrows(
              UsageException.class,
              () ->
                  input.open(
                      source,
                      new Steps(new SampleOrder(new Seed(1), 4, Shuffle.NONE), 2, EpochEnd.EXACT),
                      images,
                      Plan.alone(1),
                      LoaderOptions.DEFAULT,
                      Pieces.ONE));
      assertTrue(refused.getMessage().contains("is read whole"), refused::getMessage);
    }
  }

  @Test
  void piecesAreAsEqualAsCanBe() {
    Batch batch = new Batch(Position.START, MemorySegment.NULL, MemorySegment.NULL, 7, 7, 0);
    assertArrayEquals(new int[] {2, 4, 7}, Pieces.of(3).ends(batch));
    InputPart part = new InputPart(Region.all(Shape.of(1)), new SampleShare(1, 2));
    assertEquals(
        List.of(new InputPart.Run(1, 1), new InputPart.Run(3, 1), new InputPart.Run(5, 2)),
        part.runs(batch, Pieces.of(3)));
  }
}
