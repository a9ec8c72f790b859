package dev.tandem.data.share;

import static dev.tandem.data.share.SharedWords.read;
import static dev.tandem.data.share.SharedWords.readInt;
import static dev.tandem.data.share.SharedWords.replaceInt;
import static dev.tandem.data.share.SharedWords.write;
import static dev.tandem.data.share.SharedWords.writeInt;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The row of one consumer in a share: where it is, how fast it is, what it has had. Written by its
 * own thread, read by all.
 *
 * @param row its place in the memory
 */
record Consumer(ShareArea area, long row) {

  // Where it stands.
  private static final int FREE = 0;

  /** What it needs is kept for it. */
  static final int ACTIVE = 1;

  /** Too slow: what it needs is overwritten. */
  static final int BEHIND = 2;

  static final int LEFT = 3;

  static final int STATE = 0;
  static final int PARTICIPANT = 4;
  static final int CURSOR = 8;
  static final int EVERY = 16;
  static final int RATE = 24;
  static final int DELIVERED = 32;
  static final int ALONE = 40;
  static final int WAITED_NANOS = 48;
  static final int PASSES = 56;
  static final int CHECKSUM = 64;
  static final int MOVES = 72;
  static final int END = 80;
  private static final int NAME = 96;
  private static final int LONGEST_NAME = 128;

  /** Whether a consumer in this state still takes samples. */
  static boolean takesPart(int state) {
    return state == ACTIVE || state == BEHIND;
  }

  /** Which rows are taken, the first first. */
  private enum Choice {
    SAME_NAME,
    UNUSED,
    LEFT_BY_ANY
  }

  /** Takes a free row, or that of an earlier consumer of this name. */
  static Consumer begin(ShareArea area, String name, long cursor, int every) {
    // Nothing is prepared for it before it says how far it goes.
    MemorySegment memory = area.memory();
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    byte[] own = Arrays.copyOf(bytes, Math.min(bytes.length, LONGEST_NAME));
    for (Choice choice : Choice.values()) {
      for (int slot = 0; slot < ShareArea.CONSUMERS; slot++) {
        Consumer consumer = new Consumer(area, ShareArea.consumer(slot));
        boolean same = Arrays.equals(own, consumer.nameBytes());
        int before = choice == Choice.UNUSED ? FREE : LEFT;
        // First BEHIND and then ACTIVE, so that nobody waits for it before its cursor is there.
        if ((choice != Choice.SAME_NAME || same)
            && replaceInt(memory, consumer.row + STATE, before, BEHIND)) {
          if (!same) {
            memory.asSlice(consumer.row + CURSOR, ShareArea.CONSUMER_BYTES - CURSOR).fill((byte) 0);
            write(memory, consumer.row + NAME, own.length);
            long at = consumer.row + NAME + Long.BYTES;
            MemorySegment.copy(own, 0, memory, ValueLayout.JAVA_BYTE, at, own.length);
          }
          consumer.rate(0);
          writeInt(memory, consumer.row + PARTICIPANT, area.participants().self());
          consumer.place(cursor, every, cursor);
          writeInt(memory, consumer.row + STATE, ACTIVE);
          var _ = SharedWords.addInt(memory, ShareArea.JOINED_AT, 1);
          return consumer;
        }
      }
    }
    throw new WorkFailedException(
        "more than %d consumers in a share".formatted(ShareArea.CONSUMERS));
  }

  private byte[] nameBytes() {
    long length = get(NAME);
    return area.memory()
        .asSlice(row + NAME + Long.BYTES, Math.clamp(length, 0, LONGEST_NAME))
        .toArray(ValueLayout.JAVA_BYTE);
  }

  String name() {
    return new String(nameBytes(), StandardCharsets.UTF_8);
  }

  long get(int figure) {
    return read(area.memory(), row + figure);
  }

  void set(int figure, long value) {
    write(area.memory(), row + figure, value);
  }

  void add(int figure, long value) {
    set(figure, get(figure) + value);
  }

  int state() {
    return readInt(area.memory(), row + STATE);
  }

  int every() {
    return readInt(area.memory(), row + EVERY);
  }

  /** Samples per second, the time without waiting; 0 if it is not known yet. */
  double rate() {
    return Double.longBitsToDouble(get(RATE));
  }

  void rate(double samplesPerSecond) {
    set(RATE, Double.doubleToLongBits(samplesPerSecond));
  }

  /** The place in the sequence of what it needs next. */
  long cursor() {
    return get(CURSOR);
  }

  /** The place in the sequence that it does not go beyond. */
  long end() {
    return get(END);
  }

  void place(long cursor, int every, long end) {
    writeInt(area.memory(), row + EVERY, every);
    set(END, end);
    set(CURSOR, cursor);
  }

  /** Samples that are made, or being made, and lie before it. */
  long queue() {
    long head = read(area.memory(), ShareArea.HEAD_AT) * area.geometry().chunk();
    return Math.max(0, head - cursor());
  }

  /** All that have ever taken part. */
  static List<Consumer> known(ShareArea area) {
    List<Consumer> found = new ArrayList<>();
    for (int slot = 0; slot < ShareArea.CONSUMERS; slot++) {
      Consumer consumer = new Consumer(area, ShareArea.consumer(slot));
      if (consumer.state() != FREE) {
        found.add(consumer);
      }
    }
    return found;
  }

  boolean is(int state) {
    return state() == state;
  }

  void become(int from, int to) {
    var _ = replaceInt(area.memory(), row + STATE, from, to);
  }
}
