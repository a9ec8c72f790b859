package dev.tandem.oracle.published;

/**
 * What was run.
 *
 * @param model as the file names it, such as {@code ResNet-50}
 * @param dataset with the extent of a sample, such as {@code ImageNet(226)}
 * @param samplesPerDevice samples of an iteration divided by the devices; less than 1 where few
 *     samples are split over many
 */
public record Configuration(
    String model, String dataset, CampaignStrategy strategy, int devices, double samplesPerDevice) {

  /** Samples of an iteration over all devices. */
  public double batch() {
    return devices * samplesPerDevice;
  }

  /** One line for messages. */
  public String text() {
    return "%s %s, %d GPUs, %s samples per GPU"
        .formatted(model, strategy.word(), devices, number(samplesPerDevice));
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
