package dev.tandem.data.importing;

import dev.tandem.core.Seed;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.format.Keys;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Cubes with a few round clouds in them, whose number and mean size are to be predicted: a small
 * task in the shape of CosmoFlow's, values of volumes. One channel of unsigned bytes.
 */
public final class SyntheticVolumes implements Importer {

  /** Extent of the cubes in each direction. */
  public static final int EXTENT = 16;

  private static final int MOST_CLOUDS = 6;

  private final long records;
  private final Seed seed;

  public SyntheticVolumes(long records, Seed seed) {
    this.records = records;
    this.seed = seed;
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(records);
  }

  @Override
  public void importTo(RecordSink sink) {
    for (long number = 0; number < records; number++) {
      sink.put(
          MemorySegment.ofArray(Keys.padded(number, 8)),
          MemorySegment.ofArray(volume(seed.derive(number).random()).encode()));
    }
  }

  private static ArrayRecord volume(SplittableRandom random) {
    int clouds = random.nextInt(1, MOST_CLOUDS + 1);
    double size = random.nextDouble(1, 2.5);
    double[] sums = new double[EXTENT * EXTENT * EXTENT];
    for (int cloud = 0; cloud < clouds; cloud++) {
      double z = random.nextDouble(3, EXTENT - 3);
      double y = random.nextDouble(3, EXTENT - 3);
      double x = random.nextDouble(3, EXTENT - 3);
      for (int i = 0; i < sums.length; i++) {
        int plane = i / (EXTENT * EXTENT);
        int row = i / EXTENT % EXTENT;
        double dz = plane - z;
        double dy = row - y;
        double dx = i % EXTENT - x;
        sums[i] += Math.exp(-(dz * dz + dy * dy + dx * dx) / (2 * size * size));
      }
    }
    byte[] bytes = new byte[sums.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Math.min(255, Math.round(80 * sums[i] + random.nextDouble(10)));
    }
    return ArrayRecord.ofBytes(
        List.of(1, EXTENT, EXTENT, EXTENT), MemorySegment.ofArray(bytes), -1, clouds, (float) size);
  }
}
