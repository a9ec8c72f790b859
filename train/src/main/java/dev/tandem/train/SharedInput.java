package dev.tandem.train;

import dev.tandem.data.RecordSource;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Steps;
import dev.tandem.data.share.SharedLoader;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.train.config.ShareConfig;
import dev.tandem.train.config.TrainingConfig;
import java.util.Optional;

/** The samples that a rank takes from a share with other runs. One thread. */
final class SharedInput implements AutoCloseable {

  private final SharedSamples samples;
  private final String name;
  private Optional<String> before;
  private Optional<SharedLoader> loader = Optional.empty();

  private SharedInput(SharedSamples samples, String name, Optional<String> before) {
    this.samples = samples;
    this.name = name;
    this.before = before;
  }

  /**
   * Joins the share of a configuration.
   *
   * @param before what a checkpoint kept of {@link #saved}
   */
  static SharedInput join(
      TrainingConfig config, RecordSource source, int rank, Optional<String> before) {
    ShareConfig share = config.data().share().orElseThrow();
    SharedSamples samples =
        SharedSamples.join(
            SharedSamples.place(share.name()),
            config.trainingSamples(),
            source,
            BatchFeed.steps(config, source, 1).order(),
            config.trainingPreparation(),
            share.options(config.data().threads()));
    return new SharedInput(samples, share.consumer(rank), before);
  }

  /** Batches from the plan's beginning on, where those before have ended. */
  BatchSource open(Steps steps, Plan plan, LoaderOptions options) {
    Optional<String> taken = loader.isPresent() ? loader.get().saved(plan.from()) : before;
    loader = Optional.of(samples.loader(name, steps, plan, options, taken));
    return loader.get();
  }

  /** What a checkpoint keeps besides the position; empty if that says it all. */
  Optional<String> saved(Position at) {
    return loader.flatMap(open -> open.saved(at));
  }

  @Override
  public void close() {
    samples.close();
  }
}
