package dev.tandem.data.share;

import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.RecordPreparation;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.SampleOrder;
import dev.tandem.data.order.Steps;
import dev.tandem.posix.SharedMemoryFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Samples of one order that are prepared once for any number of consumers, in this process and in
 * others of this host that join the same share. Every process that joins may prepare samples; each
 * consumer takes them by a {@link SharedLoader}. The source stays the caller's. Any thread.
 */
public final class SharedSamples implements AutoCloseable {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

  private final ShareArea area;
  private final SampleRing ring;
  private final RecordSource source;
  private final SampleOrder order;
  private final RecordPreparation preparation;
  private final ShareOptions options;
  private final PreparationThreads threads;
  private boolean closed;

  private SharedSamples(
      ShareArea area,
      RecordSource source,
      SampleOrder order,
      RecordPreparation preparation,
      ShareOptions options) {
    this.area = area;
    this.ring = new SampleRing(area, order, options);
    this.source = source;
    this.order = order;
    this.preparation = preparation;
    this.options = options;
    threads = PreparationThreads.start(area, options.threads(), this::preprocessor);
  }

  /** The file of a share of this user. */
  public static Path place(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new UsageException(
          "a share is named '%s', expected letters, digits, '.', '_' and '-'".formatted(name));
    }
    return SharedMemoryFile.folders()
        .getFirst()
        .resolve(ShareArea.PREFIX + System.getProperty("user.name") + "-" + name);
  }

  /**
   * Refuses memory that cannot hold even a few prepared samples, or that this host does not have
   * for a share that is not there yet.
   *
   * @param name of the share
   */
  public static void checkMemory(RecordPreparation preparation, long bytes, String name) {
    Geometry geometry = Geometry.of(preparation, bytes);
    Path place = place(name);
    if (!Files.exists(place)) {
      ShareArea.requireFree(place, geometry);
    }
  }

  /** Refuses more processes than can share, of which one may watch. */
  public static void checkProcesses(int count) {
    if (count >= Participants.MOST) {
      throw new UsageException(
          "%d processes share samples, expected at most %d"
              .formatted(count, Participants.MOST - 1));
    }
  }

  /**
   * Joins a share, which begins with the first that joins and ends with the last that leaves.
   *
   * @param place a file in memory, such as {@link #place} names
   * @param what all that decides what samples are, in words; another one is refused
   */
  public static SharedSamples join(
      Path place,
      String what,
      RecordSource source,
      SampleOrder order,
      RecordPreparation preparation,
      ShareOptions options) {
    Geometry geometry = Geometry.of(preparation, options.bytes());
    String all =
        "%s; %s; %d values, %d bytes of target"
            .formatted(what, order, preparation.values(), preparation.targetBytes());
    ShareArea area = ShareArea.join(place, geometry, digest(all), options);
    return new SharedSamples(area, source, order, preparation, options);
  }

  private Preprocessor preprocessor(PreparationThreads all, int index) {
    RecordChunks records = records();
    return new Preprocessor(ring, records, records, all, index);
  }

  private RecordChunks records() {
    return new RecordChunks(source, order, preparation, area.geometry());
  }

  private static byte[] digest(String what) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(what.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JVM has it
    }
  }

  /**
   * A consumer, from the plan's beginning on.
   *
   * @param name of the consumer, the same when it comes back
   * @param saved what its {@link SharedLoader#saved} was at that position, if it was there before
   */
  public SharedLoader loader(
      String name, Steps steps, Plan plan, LoaderOptions loading, Optional<String> saved) {
    if (!steps.order().equals(order)) {
      throw new IllegalArgumentException("the steps are of another order than the share");
    }
    // Ranks that share steps must all know who has which sample, without asking.
    Optional<TakenSamples> taken =
        options.together() || plan.ranks() > 1
            ? Optional.empty()
            : Optional.of(
                saved
                    .map(text -> TakenSamples.restore(order, text))
                    .orElseGet(() -> new TakenSamples(order, first(plan.from()), 1)));
    if (taken.isEmpty() && saved.filter(text -> !inOrder(order, plan.from(), text)).isPresent()) {
      throw new UsageException(
          "this run has taken samples at its own pace: continue it with data.share.pace: own");
    }
    long cursor =
        taken.map(TakenSamples::next).orElseGet(() -> plan.share(steps.at(plan.from())).from());
    int every = taken.map(TakenSamples::every).orElse(1);
    Consumer row = Consumer.begin(area, name, cursor, Math.max(1, every));
    ring.wentOn();
    return new SharedLoader(
        ring,
        new AloneSamples(source, preparation, loading.badRecords()),
        records(),
        steps,
        plan,
        loading,
        taken,
        row);
  }

  /** Whether a consumer has taken all samples up to a position in their order. */
  public static boolean inOrder(SampleOrder order, Position at, String saved) {
    return saved.equals(TakenSamples.plain(order, at.sample()));
  }

  /** Where a consumer begins that was not here before: where the others are, if they are far. */
  private long first(Position from) {
    return ring.ahead(from.sample()) ? from.sample() : ring.rejoin(Optional.empty());
  }

  /** How the share stands. */
  public ShareStatus status() {
    return ShareStatus.of(area);
  }

  /** Ends the threads and leaves; loaders must have been closed. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    ring.close();
    threads.join();
    area.close();
  }
}
