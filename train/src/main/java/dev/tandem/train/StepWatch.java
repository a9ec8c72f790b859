package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.sync.trace.RankTimes;
import dev.tandem.sync.trace.StepMeter;
import dev.tandem.sync.trace.StragglerReport;
import dev.tandem.train.Phases.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Tells the meter of a rank where the time of its steps goes, and collects what the meters of all
 * ranks know; without a meter it does nothing. One thread.
 */
final class StepWatch {

  private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long PAUSE_STEPS = 100;

  private final Optional<StepMeter> meter;
  private final Phases phases;
  private final Communicator communicator;
  private final SystemUsage usage;
  private long read;
  private long computed;
  private long steps;
  private long collectedNanos = System.nanoTime();
  private RankTimes.Own collected = new RankTimes.Own(0, 0, 0, 0);

  StepWatch(Optional<StepMeter> meter, Phases phases, Communicator communicator, BatchFeed feed) {
    this.meter = meter;
    this.phases = phases;
    this.communicator = communicator;
    this.usage = new SystemUsage(communicator, feed::ready);
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
    steps++;
  }

  /** Asks whether {@link #collect} is due; none without a meter. */
  Optional<BooleanSupplier> due() {
    return meter.map(_ -> () -> System.nanoTime() - collectedNanos >= PAUSE_NANOS);
  }

  /**
   * What the ranks use and, if enough steps were made since the last time, where their time went;
   * all ranks call this after the same step.
   */
  List<TrainingEvent> collect(long step) {
    List<TrainingEvent> events = new ArrayList<>();
    if (meter.isPresent()) {
      events.add(usage.collect(step));
      long made = steps - collected.steps();
      if (communicator.size() > 1 && made >= PAUSE_STEPS) {
        RankTimes.Own now =
            new RankTimes.Own(
                steps, phases.nanos(Phase.READ), phases.computeNanos(), phases.nanos(Phase.SYNC));
        RankTimes times = RankTimes.collect(communicator, meter.get(), now.since(collected));
        events.add(TrainingEvent.Ranks.of(step, made, times));
        collected = now;
      }
      collectedNanos = System.nanoTime();
    }
    return events;
  }

  /** Which rank held the others up since the last report; all ranks ask at the same time. */
  Optional<TrainingEvent.Stragglers> report(long step) {
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
