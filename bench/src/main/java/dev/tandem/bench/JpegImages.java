package dev.tandem.bench;

import dev.tandem.core.Seed;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordSource;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;

/** JPEG files in memory, of pictures that a seed makes up: smooth, with some edges, as photos. */
public final class JpegImages implements RecordSource {

  private static final int WAVES = 6;

  private final List<DataRecord> records = new ArrayList<>();

  /** Draws them. */
  public JpegImages(int count, int side, Seed seed) {
    ImageIO.setUseCache(false);
    for (int i = 0; i < count; i++) {
      byte[] key = Integer.toString(i).getBytes(StandardCharsets.US_ASCII);
      records.add(
          new DataRecord(
              MemorySegment.ofArray(key),
              MemorySegment.ofArray(jpeg(side, seed.derive(i).random()))));
    }
  }

  private static byte[] jpeg(int side, SplittableRandom random) {
    double[][] waves = new double[WAVES][];
    for (int wave = 0; wave < WAVES; wave++) {
      waves[wave] =
          new double[] {random.nextDouble(0.3), random.nextDouble(0.3), random.nextDouble(6.3)};
    }
    BufferedImage image = new BufferedImage(side, side, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < side; y++) {
      for (int x = 0; x < side; x++) {
        int rgb = 0;
        for (int channel = 0; channel < 3; channel++) {
          double value = 128 + (x > y ? 30 : 0);
          for (int wave = channel; wave < WAVES; wave += 3) {
            value += 40 * Math.sin(waves[wave][0] * x + waves[wave][1] * y + waves[wave][2]);
          }
          rgb = rgb << 8 | Math.clamp((int) value, 0, 255);
        }
        image.setRGB(x, y, rgb);
      }
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      ImageIO.write(image, "jpeg", bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  @Override
  public long size() {
    return records.size();
  }

  @Override
  public DataRecord record(long ordinal) {
    return records.get((int) ordinal);
  }

  @Override
  public void close() {
    // The garbage collector has it.
  }
}
