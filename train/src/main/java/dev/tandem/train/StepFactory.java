package dev.tandem.train;

import dev.tandem.parallel.shard.ShardedMemory;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.train.config.ServersConfig;
import java.nio.file.Path;
import java.util.Optional;

/** Chooses the way to train that a configuration asks for: the only place that knows them all. */
final class StepFactory {

  private StepFactory() {}

  /**
   * The step of a configuration; all ranks call this together.
   *
   * @param meter observes the synchroniser, if there is one
   * @param run the folder that a timeline is written to
   */
  static DistributedStep create(StepContext context, StepMeter meter, Path run) {
    return switch (context.config().determinism().level()) {
      case FAST -> {
        Optional<ServersConfig> servers = context.config().servers();
        yield servers.isPresent()
            ? new ServerStep(context, servers.get(), System.err::println)
            : dataParallel(context, meter, run);
      }
      case RUN -> dataParallel(context, meter, run);
      case ELASTIC -> new ElasticStep(context);
    };
  }

  private static DistributedStep dataParallel(StepContext context, StepMeter meter, Path run) {
    if (context.network().onDevice()) {
      return new DataParallelStep(context, new DeviceGradients(context));
    }
    Optional<ShardedMemory> scattered =
        context.rank().sharded().filter(memory -> !memory.gradients().isWhole());
    return new DataParallelStep(
        context,
        scattered.isPresent()
            ? new ScatteredGradients(context.groups(), scattered.get())
            : GradientGroups.start(context, meter, run));
  }
}
