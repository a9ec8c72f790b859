package dev.tandem.data.load;

import dev.tandem.core.Seed;
import dev.tandem.data.ImageFormat;
import dev.tandem.data.augment.Augmentation;
import dev.tandem.data.augment.Augmentations;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.decode.SampleDecoder;

/**
 * What becomes of a record that is an image on its way into a batch.
 *
 * @param normalisation how bytes become floats
 * @param format what all images have in common after augmentation
 * @param seed fixes every random augmentation, together with the epoch and the record
 */
public record Preparation(
    SampleDecoder decoder,
    Augmentation augmentation,
    Normalisation normalisation,
    ImageFormat format,
    Seed seed)
    implements RecordPreparation {

  /** Checks that they go together. */
  public Preparation {
    normalisation.tables(format.channels());
  }

  @Override
  public int values() {
    return format.values();
  }

  @Override
  public int targetBytes() {
    return Long.BYTES;
  }

  @Override
  public Writer writer() {
    return new ImageWriter(this);
  }

  /** Caffe Datum records that are in the right format already, normalised as it says. */
  public static Preparation plain(ImageFormat format) {
    return new Preparation(
        new DatumDecoder(format.channels()),
        Augmentations.NONE,
        Normalisation.all(format.mean(), format.deviation()),
        format,
        new Seed(0));
  }
}
