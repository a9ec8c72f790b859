package dev.tandem.data.share;

import dev.tandem.core.UsageException;

/**
 * How prepared samples are shared; nothing here changes what a sample is.
 *
 * @param bytes of memory for prepared samples, of those that come first
 * @param consumers that are waited for, for some seconds, before anything is prepared
 * @param threads of this process that prepare samples for all
 * @param part which of the parts of the sequence they prepare
 * @param parts into which the sequence is cut; 1 if every thread prepares what comes next
 * @param together whether consumers go through the sequence side by side, so that all wait for the
 *     slowest; else each has its own speed
 * @param patience seconds until what a process does not deliver is prepared alone
 */
public record ShareOptions(
    long bytes,
    int consumers,
    int threads,
    int part,
    int parts,
    boolean together,
    double patience) {

  /** Memory of 256 MiB, one thread that prepares, each consumer at its own speed. */
  public static final ShareOptions DEFAULT = new ShareOptions(256L << 20, 1, 1, 0, 1, false, 2);

  private static final int MOST_THREADS = 64;

  public ShareOptions {
    if (bytes < 1) {
      throw new UsageException("share with %d bytes of memory".formatted(bytes));
    }
    if (consumers < 1) {
      throw new UsageException("share with %d consumers, expected at least 1".formatted(consumers));
    }
    if (threads < 0 || threads > MOST_THREADS) {
      throw new UsageException(
          "share with %d threads, expected 0 to %d".formatted(threads, MOST_THREADS));
    }
    if (parts < 1 || part < 0 || part >= parts) {
      throw new UsageException("part %d of %d of a share".formatted(part, parts));
    }
    if (!(patience > 0)) {
      throw new UsageException("patience is %s s, expected more than 0".formatted(patience));
    }
  }

  public ShareOptions withBytes(long other) {
    return new ShareOptions(other, consumers, threads, part, parts, together, patience);
  }

  public ShareOptions withConsumers(int other) {
    return new ShareOptions(bytes, other, threads, part, parts, together, patience);
  }

  public ShareOptions withThreads(int other) {
    return new ShareOptions(bytes, consumers, other, part, parts, together, patience);
  }

  public ShareOptions withPart(int other, int of) {
    return new ShareOptions(bytes, consumers, threads, other, of, together, patience);
  }

  public ShareOptions withTogether(boolean other) {
    return new ShareOptions(bytes, consumers, threads, part, parts, other, patience);
  }

  public ShareOptions withPatience(double other) {
    return new ShareOptions(bytes, consumers, threads, part, parts, together, other);
  }
}
