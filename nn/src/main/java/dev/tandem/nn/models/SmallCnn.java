package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;

/**
 * A small network for images of any size, and for volumes: 3x3(x3) convolutions with batch
 * normalisation, each followed by a pooling that halves the image as long as its shorter side is at
 * least 8. 16 filters at first, twice as many after each pooling up to 128.
 */
public final class SmallCnn {

  private static final int FIRST_FILTERS = 16;
  private static final int MOST_FILTERS = 128;
  private static final int SMALLEST_POOLED = 8;

  private SmallCnn() {}

  public static NetworkSpec spec(Shape image, int classes) {
    if (image.extents().size() != 3 && image.extents().size() != 4) {
      throw new UsageException(
          "small-cnn: image is %s, expected channels, height and width, or depth before them"
              .formatted(image));
    }
    NetworkBuilder network = new NetworkBuilder(image);
    long side = image.extents().stream().skip(1).mapToLong(Long::longValue).min().orElseThrow();
    int filters = FIRST_FILTERS;
    for (int stage = 1; stage == 1 || side >= SMALLEST_POOLED / 2; stage++) {
      network.add(new Convolution("conv" + stage, filters, 3, 1, 1).withoutBias());
      network.add(new BatchNorm("bn" + stage));
      network.add(Activation.relu("relu" + stage));
      if (side < SMALLEST_POOLED) {
        break;
      }
      network.add(new MaxPool("pool" + stage, 2, 2));
      side /= 2;
      filters = Math.min(2 * filters, MOST_FILTERS);
    }
    network.add(GlobalPool.average("pool"));
    network.add(new FullyConnected("fc", classes));
    return network.build();
  }
}
