package dev.tandem.data.importing;

import dev.tandem.core.Seed;
import dev.tandem.data.Datum;
import dev.tandem.data.format.Keys;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.OptionalLong;

/**
 * Records of random pixels in the shapes of well-known data sets, for measuring. A record depends
 * on the seed and its number alone.
 */
public final class SyntheticRecords implements Importer {

  /** Which data set the records look like. */
  public enum Kind {
    /** 3x32x32, 3,083 bytes; keys as {@code convert_cifar_data} writes them. */
    CIFAR(32, 10),
    /** 3x256x256, about 192 KB; keys as {@code convert_imageset} writes them. */
    IMAGENET(256, 1000);

    private final int side;
    private final int classes;

    Kind(int side, int classes) {
      this.side = side;
      this.classes = classes;
    }
  }

  private static final int CIFAR_DIGITS = 5;
  private static final int MANY_DIGITS = 8;
  private static final long MANY = 100_000;

  private static final int CHANNELS = 3;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private final Kind kind;
  private final long records;
  private final Seed seed;
  private final int cifarDigits;

  /** Records with keys of as many digits as {@link #usualDigits} says. */
  public SyntheticRecords(Kind kind, long records, Seed seed) {
    this(kind, records, seed, usualDigits(records));
  }

  /**
   * Records with keys of a given width.
   *
   * @param cifarDigits digits of the keys of CIFAR-like records. Beyond as many records as they can
   *     number, keys get longer and no longer sort in the order of their numbers.
   */
  public SyntheticRecords(Kind kind, long records, Seed seed, int cifarDigits) {
    this.kind = kind;
    this.records = records;
    this.seed = seed;
    this.cifarDigits = cifarDigits;
  }

  /**
   * Digits of CIFAR-like keys: 5 as {@code convert_cifar_data} writes them; 8, as Caffe's other
   * tools have, for more records than 5 digits keep in order.
   */
  public static int usualDigits(long records) {
    return records <= MANY ? CIFAR_DIGITS : MANY_DIGITS;
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(records);
  }

  @Override
  public void importTo(RecordSink sink) {
    byte[] pixels = new byte[CHANNELS * kind.side * kind.side];
    for (long number = 0; number < records; number++) {
      Seed own = seed.derive(number);
      int label = (int) Long.remainderUnsigned(own.value(), kind.classes);
      fill(pixels, own.value());
      Datum datum = Datum.of(CHANNELS, kind.side, kind.side, label, pixels);
      byte[] message = kind == Kind.IMAGENET ? datum.encodeImage() : datum.encode();
      sink.put(MemorySegment.ofArray(key(number, label)), MemorySegment.ofArray(message));
    }
  }

  private byte[] key(long number, int label) {
    return switch (kind) {
      case CIFAR -> Keys.padded(number, cifarDigits);
      case IMAGENET -> {
        String synset = "n0" + (1_000_000 + label);
        yield Keys.padded(number, 8, "_" + synset + "/" + synset + "_" + number + ".JPEG");
      }
    };
  }

  /** SplitMix64; the length is a multiple of 8. */
  private static void fill(byte[] pixels, long state) {
    for (int i = 0; i < pixels.length; i += Long.BYTES) {
      state += GOLDEN_GAMMA;
      long z = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      LONGS.set(pixels, i, z ^ (z >>> 31));
    }
  }
}
