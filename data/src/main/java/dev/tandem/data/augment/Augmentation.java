package dev.tandem.data.augment;

import dev.tandem.data.image.Image;
import java.util.SplittableRandom;

/**
 * Changes an image on its way to a batch. Called by several threads at once, so without state of
 * its own: every random choice is taken from the stream it is given, which belongs to the sample.
 */
@FunctionalInterface
public interface Augmentation {

  /**
   * The changed image, which may be a view of the given one. An image that it cannot be applied to
   * is a {@link dev.tandem.core.WorkFailedException} with the reason.
   *
   * @param random depends on the seed, the epoch and the record alone, never on ranks or threads
   */
  Image apply(Image image, SplittableRandom random);
}
