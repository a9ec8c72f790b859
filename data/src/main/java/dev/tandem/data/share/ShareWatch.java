package dev.tandem.data.share;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Looks at a share from outside, and says how many threads may prepare its samples. What it looks
 * at stays until it is closed, also when all others have left. Any thread.
 */
public final class ShareWatch implements AutoCloseable {

  private final ShareArea area;

  private ShareWatch(ShareArea area) {
    this.area = area;
  }

  /** The share of a {@link SharedSamples#place place}, if there is one now. */
  public static Optional<ShareWatch> open(Path place) {
    return ShareArea.watch(place).map(ShareWatch::new);
  }

  /** How it stands. */
  public ShareStatus status() {
    return ShareStatus.of(area);
  }

  /** Lets this many threads prepare samples, of all processes together, at most; 0 for all. */
  public void limitThreads(int most) {
    SharedWords.writeInt(area.memory(), ShareArea.LIMIT_AT, most);
  }

  @Override
  public void close() {
    area.close();
  }
}
