package dev.tandem.data.read;

import java.nio.ByteBuffer;

/**
 * Takes the records of one reader, in the order of its share of the batches. Called by one thread.
 */
@FunctionalInterface
public interface RecordVisitor {

  /**
   * One record, lent for the duration of the call. Positions and limits of the buffers mean nothing
   * and may be changed; both may be the same buffer.
   */
  void record(
      ByteBuffer keys, int keyAt, int keyLength, ByteBuffer values, int valueAt, int valueLength);
}
