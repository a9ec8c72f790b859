package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.sync.trace.StragglerReport;
import dev.tandem.train.Phases.Phase;
import java.util.Optional;

/**
 * Tells the meter of a rank where the time of its steps goes, and collects what the meters of all
 * ranks know; without a meter, or alone, it does nothing. One thread.
 */
final class StepWatch {

  private final Optional<StepMeter> meter;
  private final Phases phases;
  private long read;
  private long computed;

  StepWatch(Optional<StepMeter> meter, Phases phases) {
    this.meter = meter;
    this.phases = phases;
  }

  /** The samples of a step are there. */
  void computes() {
    meter.ifPresent(StepMeter::computes);
  }

  /** A step is over. */
  void ended() {
    long nowRead = phases.nanos(Phase.READ);
    long nowComputed = phases.computeNanos();
    meter.ifPresent(watching -> watching.step(nowRead - read, nowComputed - computed));
    read = nowRead;
    computed = nowComputed;
  }

  /** Which rank held the others up since the last report; all ranks ask at the same time. */
  Optional<TrainingEvent.Stragglers> report(Communicator communicator, long step) {
    if (meter.isEmpty() || communicator.size() == 1) {
      return Optional.empty();
    }
    StragglerReport report = StragglerReport.collect(communicator, meter.get());
    StragglerReport.Finding finding = report.finding();
    return Optional.of(
        new TrainingEvent.Stragglers(
            step,
            finding.cause(),
            finding.rank(),
            finding.sentence(),
            report.rows(),
            report.text()));
  }
}
