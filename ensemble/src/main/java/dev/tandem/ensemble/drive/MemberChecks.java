package dev.tandem.ensemble.drive;

import dev.tandem.comm.launch.Placement;
import dev.tandem.core.UsageException;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.ensemble.EnsembleConfig;
import dev.tandem.ensemble.Pipeline;
import dev.tandem.train.config.TrainingConfig;

/** Understands all members of an ensemble before anything is made of it. */
final class MemberChecks {

  private MemberChecks() {}

  /**
   * Refuses members that cannot be trained, or not together.
   *
   * @param share its name
   */
  static void check(EnsembleConfig config, String share) {
    boolean shared = !(config.settings().kind() instanceof Pipeline.Duplicated);
    TrainingConfig first = null;
    var _ = Placement.here(config.processes()); // refuses more than the machine supports
    for (EnsembleConfig.Member member : config.members()) {
      TrainingConfig training = config.training(member, share, 1);
      training.checkRanks(member.ranks());
      if (shared && first != null && !training.trainingSamples().equals(first.trainingSamples())) {
        throw new UsageException(
            "member %s takes other samples than member %s, but %s shares them: give both the same data, input and classes, or set pipeline: duplicated"
                .formatted(
                    member.name(),
                    config.members().getFirst().name(),
                    config.settings().pipeline()));
      }
      first = first == null ? training : first;
    }
    if (shared) {
      SharedSamples.checkProcesses(config.processes());
      SharedSamples.checkMemory(
          first.trainingPreparation(), config.settings().megabytes() << 20, share);
    }
  }
}
