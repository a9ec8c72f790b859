package dev.tandem.nn.spec;

/**
 * Which of the samples of a group of ranks a tensor, or a box of one, has: one of several parts
 * that are as equal as can be.
 *
 * @param part from 0
 * @param parts 1 for all samples
 */
public record SampleShare(int part, int parts) {

  /** All samples. */
  public static final SampleShare ALL = new SampleShare(0, 1);

  public SampleShare {
    if (part < 0 || part >= parts) {
      throw new IllegalArgumentException("part %d of %d".formatted(part, parts));
    }
  }

  /** The first of this many samples that is in this part. */
  public long from(long samples) {
    return samples * part / parts;
  }

  /** Number of samples in this part. */
  public long count(long samples) {
    return samples * (part + 1) / parts - from(samples);
  }
}
