package dev.tandem.bench.ensemble;

import dev.tandem.bench.JpegImages;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.Datum;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.augment.AugmentationText;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.data.load.Preparation;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.order.Steps;
import dev.tandem.lmdb.write.WriterOptions;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The images: JPEG files in a database, whose labels are the numbers of their records. */
final class EnsembleImages {

  /** How many there are; a pass. */
  static final int COUNT = 256;

  static final int BATCH = 16;

  /** What is done to each: decoded, cut out and resized, flipped, its colours changed. */
  static final String AUGMENT = "random-resized-crop=64x64,flip,jitter=0.2";

  private static final int FILE_SIDE = 256;
  static final int SIDE = 64;
  private static final Seed SEED = new Seed(29);

  private EnsembleImages() {}

  static void write(Path folder, Progress progress) {
    try (JpegImages images = new JpegImages(COUNT, FILE_SIDE, SEED)) {
      var _ =
          new DatabaseBuilder(folder, true, WriterOptions.DEFAULT, COUNT, progress)
              .build(
                  writer -> {
                    for (int i = 0; i < COUNT; i++) {
                      byte[] key = "%08d".formatted(i).getBytes(StandardCharsets.US_ASCII);
                      byte[] value = Datum.encodeFile(images.record(i).value(), i);
                      writer.put(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
                    }
                  });
    }
  }

  static Preparation preparation() {
    return new Preparation(
        new DatumDecoder(3),
        AugmentationText.parse(AUGMENT),
        Normalisation.all(0.5, 0.25),
        new ImageFormat(3, SIDE, SIDE, COUNT, 0.5, 0.25),
        SEED.derive("augmentation"));
  }

  static SampleOrder order() {
    return new SampleOrder(SEED, COUNT, Shuffle.BY_INDEX);
  }

  static Steps steps(int batch) {
    return new Steps(order(), batch, EpochEnd.CIRCULAR);
  }
}
