package dev.tandem.bench.ensemble;

import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.share.ShareOptions;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.posix.ResourceUsage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * One request of a member: takes images, at a speed or by training, and counts. When it has all of
 * them it takes no further part, but prepares images for others until it is closed. One thread.
 */
final class MemberRun implements AutoCloseable {

  /** Steps after the last that counts, so that what is prepared ahead is not missing at the end. */
  private static final long BEYOND = 1L << 20;

  private final MemberRequest request;
  private final Optional<SharedSamples> share;
  private final Optional<BatchSource> batches;
  private final ResourceUsage.Reader usage = ResourceUsage.reader().orElseThrow();
  private final int[] taken = new int[EnsembleImages.COUNT];
  private boolean ended;
  private final double joined;
  private long images;
  private long passes;
  private boolean exact = true;

  MemberRun(MemberRequest request, RecordSource source) {
    this.request = request;
    this.joined = cpuSeconds();
    long steps = (request.warm() + request.images()) / request.batch() + BEYOND;
    if (!request.shares()) {
      share = Optional.empty();
      batches =
          Optional.of(
              new Loader(
                  source,
                  EnsembleImages.steps(request.batch()),
                  EnsembleImages.preparation(),
                  Plan.alone(steps),
                  LoaderOptions.DEFAULT.withThreads(1).withPrefetchBytes(request.memory())));
      return;
    }
    ShareOptions options =
        ShareOptions.DEFAULT
            .withBytes(request.memory())
            .withConsumers(request.consumers())
            .withThreads(request.prepares() ? 1 : 0)
            .withPart(request.part(), request.parts())
            .withTogether(request.together());
    SharedSamples joined =
        SharedSamples.join(
            Path.of(request.share()),
            EnsembleImages.AUGMENT,
            source,
            EnsembleImages.order(),
            EnsembleImages.preparation(),
            options);
    share = Optional.of(joined);
    batches =
        request.images() == 0
            ? Optional.empty()
            : Optional.of(
                joined.loader(
                    "member-" + request.member(),
                    EnsembleImages.steps(request.batch()),
                    Plan.alone(steps),
                    LoaderOptions.DEFAULT,
                    Optional.empty()));
  }

  /** Of a process that only prepares images: what it took for those of all that prepare. */
  MemberReport prepared() {
    long images = share.orElseThrow().status().prepared();
    return new MemberReport(0, cpuSeconds() - joined, 0, images, 0, true, 0, memory());
  }

  /** Takes all images. */
  MemberReport run(Optional<MemberTraining> training) {
    take(training, request.warm(), 0);
    double trained = training.map(MemberTraining::cpuSeconds).orElse(0.0);
    double cpu = cpuSeconds();
    long began = System.nanoTime();
    take(training, request.images() / 2, 0);
    take(training, request.images() - request.images() / 2, request.later());
    double seconds = (System.nanoTime() - began) / 1e9;
    double trainCpu = training.map(MemberTraining::cpuSeconds).orElse(0.0) - trained;
    MemberReport report =
        new MemberReport(
            seconds,
            cpuSeconds() - cpu - trainCpu,
            trainCpu,
            request.images(),
            passes,
            exact,
            alone(),
            memory());
    end();
    return report;
  }

  /** Nobody waits for it any more. */
  private void end() {
    if (!ended) {
      ended = true;
      batches.ifPresent(BatchSource::close);
    }
  }

  /** What the share takes of the memory; what is prepared alone is not counted. */
  private long memory() {
    try {
      return request.shares() ? Files.size(Path.of(request.share())) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void take(Optional<MemberTraining> training, long count, double rate) {
    double pace = rate > 0 ? rate : request.rate();
    long due = System.nanoTime();
    for (long left = count; left > 0; left -= request.batch()) {
      Batch batch = batches.orElseThrow().next();
      tally(batch);
      if (training.isPresent()) {
        training.get().step(batch);
      } else if (pace > 0) {
        // A step takes its time from when its images are there: what was late stays late.
        due = Math.max(due, System.nanoTime()) + (long) (batch.count() * 1e9 / pace);
        pause(due);
      }
    }
  }

  private static void pause(long until) {
    for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void tally(Batch batch) {
    for (int i = 0; i < batch.count(); i++) {
      long label = batch.labels().getAtIndex(ValueLayout.JAVA_LONG, i);
      taken[(int) label]++;
      images++;
      if (images % EnsembleImages.COUNT == 0) {
        passes++;
        for (int count : taken) {
          exact &= count == passes;
        }
      }
    }
  }

  /** Those of this member that were prepared for it alone. */
  private long alone() {
    String name = "member-" + request.member();
    return share.stream()
        .flatMap(each -> each.status().consumers().stream())
        .filter(taker -> taker.name().equals(name))
        .mapToLong(taker -> taker.alone())
        .sum();
  }

  private double cpuSeconds() {
    return usage.process().processorTime().toNanos() / 1e9;
  }

  @Override
  public void close() {
    end();
    share.ifPresent(SharedSamples::close);
  }
}
