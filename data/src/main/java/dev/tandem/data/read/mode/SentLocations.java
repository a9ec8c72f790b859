package dev.tandem.data.read.mode;

import dev.tandem.core.WorkFailedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.BlockingQueue;

/** Takes places from messages of the process that seeks, one message an iteration. */
final class SentLocations implements Locator {

  /** Bytes of a record in a message: positions and lengths of value and key. */
  static final int BYTES = 2 * Long.BYTES + 2 * Integer.BYTES;

  private final BlockingQueue<byte[]> queue;
  private final Peers roots;
  private final int bytes;
  private ByteBuffer message = ByteBuffer.allocate(0);

  /**
   * @param queue where messages come from in the process that seeks; null in others
   * @param records of each iteration
   */
  SentLocations(BlockingQueue<byte[]> queue, Peers roots, int records) {
    this.queue = queue;
    this.roots = roots;
    this.bytes = records * BYTES;
  }

  @Override
  public void locate(long place, RecordLocation record) {
    if (place == known) {
      read(record);
      return;
    }
    if (message.position() == message.limit()) {
      message = ByteBuffer.wrap(receive()).order(ByteOrder.LITTLE_ENDIAN);
    }
    known = place;
    valuePosition = message.getLong();
    keyPosition = message.getLong();
    valueLength = message.getInt();
    keyLength = message.getInt();
    read(record);
  }

  // The record asked for last: one that does not fit a round is asked for again.
  private long known = -1;
  private long valuePosition;
  private long keyPosition;
  private int valueLength;
  private int keyLength;

  private void read(RecordLocation record) {
    record.valuePosition = valuePosition;
    record.valueLength = valueLength;
    record.keyPosition = keyPosition;
    record.keyLength = keyLength;
    record.leafPage = -1;
    record.keyMemory = null;
  }

  private byte[] receive() {
    if (queue == null) {
      byte[] received = new byte[bytes];
      roots.receive(received, 0);
      return received;
    }
    try {
      return queue.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while waiting for places", e);
    }
  }
}
