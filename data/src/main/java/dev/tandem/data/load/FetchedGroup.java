package dev.tandem.data.load;

import dev.tandem.data.RecordBlock;

/** A block of records and how many steps still need it. Used under the queue's lock. */
final class FetchedGroup {

  private final RecordBlock block;
  private final long bytes;
  private int users;

  FetchedGroup(RecordBlock block, long bytes, int users) {
    this.block = block;
    this.bytes = bytes;
    this.users = users;
  }

  /** The records; any thread may read them while a step needs them. */
  RecordBlock block() {
    return block;
  }

  long bytes() {
    return bytes;
  }

  /** A step needs it no more; true if it was the last, and the block is closed. */
  boolean leave() {
    users--;
    if (users == 0) {
      block.close();
    }
    return users == 0;
  }

  /** Closes the block if it is open, even if steps need it. */
  void close() {
    if (users > 0) {
      users = 0;
      block.close();
    }
  }
}
