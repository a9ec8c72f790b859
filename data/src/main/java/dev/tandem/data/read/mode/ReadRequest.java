package dev.tandem.data.read.mode;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.read.request.Requests;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * What to read and how; the same for all readers.
 *
 * @param iterations batches to read, or {@link #EPOCH}
 * @param cold drop the file from the page cache first
 * @param cache whether the database is brought into memory while it is read
 * @param locate how modes that locate records before they read them do so
 */
public record ReadRequest(
    Path database,
    ReadMode mode,
    ModeSettings settings,
    int batch,
    long iterations,
    BatchPlan.Access access,
    Seed seed,
    boolean cold,
    CachePolicy cache,
    Locate locate) {

  /** As many iterations as it takes to read every record at least once. */
  public static final long EPOCH = -1;

  private static final int WORDS = 14;

  public ReadRequest {
    if (batch < 1 || iterations < EPOCH) {
      throw new UsageException(
          "a batch of %d and %d iterations: the batch must be positive, iterations not negative"
              .formatted(batch, iterations));
    }
    mode.check(locate);
  }

  /** The plan for a database of this many records and readers. */
  public BatchPlan plan(long records, int readers) {
    long batches = iterations == EPOCH ? Math.ceilDiv(records, (long) batch) : iterations;
    return new BatchPlan(records, batch, readers, batches, access, seed);
  }

  /** As arguments of {@link ReaderMain}. */
  public List<String> arguments() {
    return List.of(
        database.toString(),
        mode.code(),
        Integer.toString(settings.roots()),
        Integer.toString(settings.requests().block()),
        Integer.toString(settings.requests().queueDepth()),
        settings.requests().route().code(),
        Long.toString(settings.budget()),
        Integer.toString(settings.group()),
        Integer.toString(batch),
        Long.toString(iterations),
        access.name().toLowerCase(Locale.ROOT) + (cold ? "-cold" : ""),
        Long.toString(seed.value()),
        cache.code(),
        locate.code());
  }

  /** From arguments of {@link ReaderMain}. */
  public static ReadRequest of(List<String> words) {
    if (words.size() != WORDS) {
      throw new UsageException(
          "a reader takes %d arguments, not %d".formatted(WORDS, words.size()));
    }
    ModeSettings settings =
        new ModeSettings(
            Integer.parseInt(words.get(2)),
            new Requests(
                Integer.parseInt(words.get(3)),
                Integer.parseInt(words.get(4)),
                Requests.Route.valueOf(words.get(5).toUpperCase(Locale.ROOT))),
            Long.parseLong(words.get(6)),
            Integer.parseInt(words.get(7)));
    String access = words.get(10);
    boolean cold = access.endsWith("-cold");
    String order = cold ? access.substring(0, access.length() - "-cold".length()) : access;
    return new ReadRequest(
        Path.of(words.get(0)),
        ReadMode.of(words.get(1)),
        settings,
        Integer.parseInt(words.get(8)),
        Long.parseLong(words.get(9)),
        BatchPlan.Access.valueOf(order.toUpperCase(Locale.ROOT)),
        new Seed(Long.parseLong(words.get(11))),
        cold,
        CachePolicy.of(words.get(12)),
        Locate.of(words.get(13)));
  }
}
