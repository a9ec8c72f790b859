package dev.tandem.data.importing;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.format.Keys;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Cubes with a few round clouds in them, whose number and size are to be predicted: a small task in
 * the shape of CosmoFlow's, values of volumes. With several channels, each of which shows the
 * clouds at another time, two more values: how bright they are at first, and by which factor they
 * grow from channel to channel. Unsigned bytes.
 */
public final class SyntheticVolumes implements Importer {

  /** Usual extent of the cubes in each direction, in which sizes are counted. */
  public static final int EXTENT = 16;

  private static final int MOST_CLOUDS = 6;
  private static final int MOST_CHANNELS = 64;
  private static final int MOST_EXTENT = 512;

  /** No centre is nearer to a border than this, in the units of sizes. */
  private static final double MARGIN = 3;

  private static final double BRIGHTNESS = 80;

  private final long records;
  private final Seed seed;
  private final int extent;
  private final int channels;

  /** Cubes of this extent, from 8 on, with this number of channels. */
  public SyntheticVolumes(long records, Seed seed, int extent, int channels) {
    if (extent < 8 || extent > MOST_EXTENT) {
      throw new UsageException(
          "the extent of volumes is %d, expected 8 to %d".formatted(extent, MOST_EXTENT));
    }
    if (channels < 1 || channels > MOST_CHANNELS) {
      throw new UsageException(
          "volumes have %d channels, expected 1 to %d".formatted(channels, MOST_CHANNELS));
    }
    if ((long) extent * extent * extent * channels > Integer.MAX_VALUE / 2) {
      throw new UsageException(
          "%d channels of extent %d are more than a record holds: use smaller ones"
              .formatted(channels, extent));
    }
    this.records = records;
    this.seed = seed;
    this.extent = extent;
    this.channels = channels;
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

  private ArrayRecord volume(SplittableRandom random) {
    int clouds = random.nextInt(1, MOST_CLOUDS + 1);
    double size = random.nextDouble(1, 2.5);
    double brightness = channels == 1 ? BRIGHTNESS : random.nextDouble(40, 120);
    double growth = channels == 1 ? 1 : random.nextDouble(0.8, 1.25);
    double[][] centres = new double[clouds][];
    for (int cloud = 0; cloud < clouds; cloud++) {
      centres[cloud] = new double[] {centre(random), centre(random), centre(random)};
    }
    int cube = extent * extent * extent;
    byte[] bytes = new byte[channels * cube];
    double[] sums = new double[cube];
    for (int channel = 0; channel < channels; channel++) {
      Arrays.fill(sums, 0);
      for (double[] centre : centres) {
        add(centre, size * Math.pow(growth, channel), sums);
      }
      for (int i = 0; i < cube; i++) {
        bytes[channel * cube + i] =
            (byte) Math.min(255, Math.round(brightness * sums[i] + random.nextDouble(10)));
      }
    }
    List<Integer> shape = List.of(channels, extent, extent, extent);
    MemorySegment elements = MemorySegment.ofArray(bytes);
    return channels == 1
        ? ArrayRecord.ofBytes(shape, elements, -1, clouds, (float) size)
        : ArrayRecord.ofBytes(
            shape, elements, -1, clouds, (float) size, (float) brightness, (float) growth);
  }

  private static double centre(SplittableRandom random) {
    return random.nextDouble(MARGIN, EXTENT - MARGIN);
  }

  /** A cloud is a product of three bells, one in each direction. */
  private void add(double[] centre, double size, double[] sums) {
    double[] planes = bell(centre[0], size);
    double[] rows = bell(centre[1], size);
    double[] columns = bell(centre[2], size);
    int i = 0;
    for (double plane : planes) {
      for (double row : rows) {
        double height = plane * row;
        for (double column : columns) {
          sums[i++] += height * column;
        }
      }
    }
  }

  private double[] bell(double centre, double size) {
    double[] bell = new double[extent];
    for (int i = 0; i < extent; i++) {
      double distance = (double) i * EXTENT / extent - centre;
      bell[i] = Math.exp(-distance * distance / (2 * size * size));
    }
    return bell;
  }
}
