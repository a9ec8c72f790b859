package dev.tandem.train;

import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.data.load.Batch;
import dev.tandem.nn.spec.SampleShare;
import java.util.ArrayList;
import java.util.List;

/**
 * What a rank's network takes of the samples of its data group.
 *
 * @param region of each sample; without elements if the network takes no samples, as the later
 *     stages of a pipeline
 * @param samples which of the samples, of each piece in which a batch is computed
 */
record InputPart(Region region, SampleShare samples) {

  /** Neighbouring samples of a batch. */
  record Run(int from, int count) {}

  /** The pieces in which a batch is computed one after the other. */
  interface Pieces {

    /** All samples at once. */
    Pieces ONE = batch -> new int[] {batch.count()};

    /** Where each piece ends, ascending; the last with the batch. */
    int[] ends(Batch batch);

    /** As many as this, as equal as can be; one for each sample if these are fewer. */
    static Pieces of(int most) {
      return batch -> {
        int pieces = Math.clamp(batch.count(), 1, most);
        int[] ends = new int[pieces];
        for (int i = 0; i < pieces; i++) {
          ends[i] = (int) ((long) batch.count() * (i + 1) / pieces);
        }
        return ends;
      };
    }
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

  /** Samples of a batch that are taken. */
  int count(Batch batch, Pieces pieces) {
    return runs(batch, pieces).stream().mapToInt(Run::count).sum();
  }

  /** Elements of the samples of a batch that are taken. */
  long elements(Batch batch, Pieces pieces) {
    return region.local().elements() * count(batch, pieces);
  }
}
