package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Step;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.parallel.LocalNetwork;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;

/**
 * What a rank's network takes of the samples of its data group.
 *
 * @param region of each sample; without elements if the network takes no samples, as the later
 *     stages of a pipeline
 * @param samples which of the samples, of each piece in which a batch is computed
 */
public record InputPart(Region region, SampleShare samples) {

  /** Neighbouring samples of a batch. */
  public record Run(int from, int count) {}

  /** The pieces in which a batch is computed one after the other. */
  public interface Pieces {

    /** All samples at once. */
    Pieces ONE = batch -> new int[] {batch.count()};

    /** Where each piece ends, ascending; the last with the batch. */
    int[] ends(Batch batch);

    /** The shards that a plan gives a rank, some of which may be empty. */
    static Pieces of(Plan plan) {
      int shards = plan.endShard() - plan.firstShard();
      return shards == 1
          ? ONE
          : batch -> {
            Step step = new Step(batch.position(), batch.globalCount());
            long own = plan.share(step).from();
            int[] ends = new int[shards];
            for (int i = 0; i < shards; i++) {
              Step.Share share = step.share(plan.firstShard() + i, plan.shards());
              ends[i] = (int) (share.from() + share.count() - own);
            }
            return ends;
          };
    }

    /** As many as this, as equal as can be; one for each sample if these are fewer. */
    static Pieces of(int most) {
      return batch -> equal(batch, Math.clamp(batch.count(), 1, most));
    }

    /** The same for ranks that have as many pieces each, some of which may be empty. */
    static Pieces together(int most, int ranks) {
      return batch -> equal(batch, Math.clamp(Math.ceilDiv(batch.globalCount(), ranks), 1, most));
    }

    private static int[] equal(Batch batch, int pieces) {
      int[] ends = new int[pieces];
      for (int i = 0; i < pieces; i++) {
        ends[i] = (int) ((long) batch.count() * (i + 1) / pieces);
      }
      return ends;
    }
  }

  /** What a network takes. */
  static InputPart of(LocalNetwork network) {
    boolean taken =
        network.spec().nodes().stream().anyMatch(node -> node.inputs().contains(NetworkSpec.INPUT));
    return taken
        ? new InputPart(network.input(), network.inputSamples())
        : new InputPart(nothing(network.whole().input()), SampleShare.ALL);
  }

  private static Region nothing(Shape sample) {
    return new Region(sample.extents().stream().map(extent -> Ranges.of(extent, 0, 0)).toList());
  }

  /** What each rank of a group takes; all call this together. */
  static List<InputPart> ofAll(Communicator group, InputPart own) {
    long[] mine = own.numbers();
    long[] counts = new long[group.size()];
    long[] each = new long[group.size()];
    Arrays.fill(each, Long.BYTES);
    group.allgather(
        MemorySegment.ofArray(new long[] {mine.length}), MemorySegment.ofArray(counts), each);
    long[] lengths = Arrays.stream(counts).map(count -> count * Long.BYTES).toArray();
    long[] all = new long[Math.toIntExact(Arrays.stream(counts).sum())];
    group.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), lengths);
    PrimitiveIterator.OfLong numbers = Arrays.stream(all).iterator();
    List<InputPart> parts = new ArrayList<>();
    for (int rank = 0; rank < group.size(); rank++) {
      parts.add(read(numbers));
    }
    return parts;
  }

  /** This part as numbers, which {@link #read} takes. */
  private long[] numbers() {
    LongStream.Builder numbers = LongStream.builder();
    numbers.add(samples.part()).add(samples.parts()).add(region.dimensions().size());
    for (Ranges ranges : region.dimensions()) {
      numbers.add(ranges.whole()).add(ranges.extent()).add(ranges.runs().size());
      ranges.runs().forEach(run -> numbers.add(run.from()).add(run.at()).add(run.length()));
    }
    return numbers.build().toArray();
  }

  private static InputPart read(PrimitiveIterator.OfLong numbers) {
    SampleShare samples = new SampleShare((int) numbers.nextLong(), (int) numbers.nextLong());
    List<Ranges> dimensions = new ArrayList<>();
    for (long left = numbers.nextLong(); left > 0; left--) {
      long whole = numbers.nextLong();
      long extent = numbers.nextLong();
      List<Ranges.Run> runs = new ArrayList<>();
      for (long more = numbers.nextLong(); more > 0; more--) {
        runs.add(new Ranges.Run(numbers.nextLong(), numbers.nextLong(), numbers.nextLong()));
      }
      dimensions.add(new Ranges(whole, extent, runs));
    }
    return new InputPart(new Region(dimensions), samples);
  }

  /** Every sample, whole. */
  static InputPart whole(Shape sample) {
    return new InputPart(Region.all(sample), SampleShare.ALL);
  }

  boolean isWhole() {
    return region.isAll() && samples.equals(SampleShare.ALL);
  }

  /** The samples of a batch that are taken, in order. */
  List<Run> runs(Batch batch, Pieces pieces) {
    if (samples.equals(SampleShare.ALL)) {
      return List.of(new Run(0, batch.count()));
    }
    List<Run> runs = new ArrayList<>();
    int from = 0;
    for (int end : pieces.ends(batch)) {
      int count = end - from;
      runs.add(
          new Run(
              from + Math.toIntExact(samples.from(count)), Math.toIntExact(samples.count(count))));
      from = end;
    }
    return runs;
  }

  /** The pieces of a batch that has the inputs that this part takes. */
  List<BatchSlice> slices(Batch batch, Pieces pieces) {
    List<BatchSlice> slices = new ArrayList<>();
    long bytes = region.local().elements() * Float.BYTES;
    int from = 0;
    long at = 0;
    for (int end : pieces.ends(batch)) {
      long length = samples.count(end - from) * bytes;
      slices.add(new BatchSlice(batch, from, end - from, batch.images().asSlice(at, length)));
      at += length;
      from = end;
    }
    return slices;
  }

  /** Samples of a batch that are taken. */
  int count(Batch batch, Pieces pieces) {
    return runs(batch, pieces).stream().mapToInt(Run::count).sum();
  }

  /** Elements of the samples of a batch that are taken. */
  long elements(Batch batch, Pieces pieces) {
    return region.local().elements() * count(batch, pieces);
  }
}
