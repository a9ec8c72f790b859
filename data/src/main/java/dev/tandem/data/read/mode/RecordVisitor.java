package dev.tandem.data.read.mode;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Takes the records of one reader, in the order of its share of the batches. Called by one thread,
 * unless it has a {@link #companion}.
 */
@FunctionalInterface
public interface RecordVisitor {

  /**
   * One record, lent for the duration of the call. Positions and limits of the buffers mean nothing
   * and may be changed; both may be the same buffer.
   */
  void record(
      ByteBuffer keys, int keyAt, int keyLength, ByteBuffer values, int valueAt, int valueLength);

  /**
   * Another visitor for a second thread, which takes some iterations in place of this one, so that
   * their order is lost; empty if this one wants them all.
   */
  default Optional<RecordVisitor> companion() {
    return Optional.empty();
  }
}
