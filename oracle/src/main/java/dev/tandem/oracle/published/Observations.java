package dev.tandem.oracle.published;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What of a campaign can be compared with projections.
 *
 * @param iterations times of iterations
 * @param epochs times of iterations that come from times of epochs: those of pipelines, of which no
 *     others are published
 * @param unscored times of iterations that cannot be projected: place, configuration, and why
 * @param otherRows rows of other quantities
 */
record Observations(
    List<Observation> iterations, List<Observation> epochs, List<String> unscored, int otherRows) {

  Observations {
    iterations = List.copyOf(iterations);
    epochs = List.copyOf(epochs);
    unscored = List.copyOf(unscored);
  }

  static Observations of(Campaign campaign, CampaignNetworks networks) {
    List<Observation> iterations = new ArrayList<>();
    List<Observation> epochs = new ArrayList<>();
    List<String> unscored = new ArrayList<>();
    int others = 0;
    for (Measurement row : campaign.rows()) {
      boolean epoch =
          row.quantity().equals(Measurement.EPOCH)
              && row.strategy().equals(CampaignStrategy.PIPELINE.word());
      if (!epoch && !row.quantity().equals(Measurement.ITERATION)) {
        others++;
        continue;
      }
      try {
        Configuration configuration = configuration(row, networks.platform());
        NetworkSizes sizes = networks.sizes(row.model(), row.dataset());
        double seconds = seconds(row);
        if (epoch) {
          double samples = networks.platform().epochSamples(sizes.volumes());
          seconds /= Math.ceil(samples / configuration.batch());
        }
        (epoch ? epochs : iterations)
            .add(
                new Observation(
                    row.place(),
                    configuration,
                    seconds,
                    computation(campaign, row),
                    row.congested()));
      } catch (UsageException e) {
        unscored.add(
            "%s: %s %s, %d GPUs: %s"
                .formatted(row.place(), row.model(), row.strategy(), row.gpus(), e.getMessage()));
      }
    }
    return new Observations(iterations, epochs, unscored, others);
  }

  /** Those of a network without traffic of others. */
  List<Observation> calm() {
    return iterations.stream().filter(observation -> !observation.congested()).toList();
  }

  private static Configuration configuration(Measurement row, Platform platform) {
    CampaignStrategy strategy =
        CampaignStrategy.named(row.strategy())
            .orElseThrow(() -> new UsageException("no strategy '" + row.strategy() + "'"));
    if (row.gpus() == 0) {
      throw new UsageException("gpus is missing");
    }
    if (row.batchPerGpu() == 0) {
      throw new UsageException("batch_per_gpu is missing");
    }
    int perNode = platform.devicesPerNode();
    if (row.gpus() > platform.cluster().devices()) {
      throw new UsageException(
          "more than the %d GPUs of the machine".formatted(platform.cluster().devices()));
    }
    if (strategy.wholeNodes() && row.gpus() % perNode != 0) {
      throw new UsageException("not whole nodes of %d GPUs".formatted(perNode));
    }
    if (strategy == CampaignStrategy.SPATIAL && row.gpus() > perNode) {
      throw new UsageException("space is split within a node of %d GPUs only".formatted(perNode));
    }
    return new Configuration(row.model(), row.dataset(), strategy, row.gpus(), row.batchPerGpu());
  }

  /**
   * The time of a row in seconds.
   *
   * @throws UsageException if it is none
   */
  private static double seconds(Measurement row) {
    if (!(row.value() > 0)) {
      throw new UsageException("value is %s, expected more than 0".formatted(row.value()));
    }
    return switch (row.unit()) {
      case "s", "" -> row.value();
      case "ms" -> row.value() * 1e-3;
      default -> throw new UsageException("unit is '%s', expected s or ms".formatted(row.unit()));
    };
  }

  private static OptionalDouble computation(Campaign campaign, Measurement row) {
    return campaign.rows().stream()
        .filter(other -> other.quantity().equals(Measurement.COMPUTATION) && other.sameRun(row))
        .mapToDouble(Observations::seconds)
        .findFirst();
  }
}
