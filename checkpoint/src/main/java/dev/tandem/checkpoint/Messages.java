package dev.tandem.checkpoint;

import dev.tandem.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Small things of any length that ranks tell each other. */
final class Messages {

  private Messages() {}

  /** What every rank has said, in rank order, for all. */
  static List<byte[]> all(Communicator ranks, byte[] mine) {
    long[] lengths = lengths(ranks, mine);
    byte[] all = new byte[Math.toIntExact(Arrays.stream(lengths).sum())];
    ranks.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), lengths);
    return split(all, lengths);
  }

  /** What every rank has said, in rank order, for rank 0; nothing for the others. */
  static List<byte[]> toFirst(Communicator ranks, byte[] mine) {
    long[] lengths = lengths(ranks, mine);
    boolean first = ranks.rank() == 0;
    byte[] all = new byte[first ? Math.toIntExact(Arrays.stream(lengths).sum()) : 0];
    ranks.gather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), lengths, 0);
    return first ? split(all, lengths) : List.of();
  }

  /** What rank 0 says, for all; that of the others is ignored. */
  static byte[] fromFirst(Communicator ranks, byte[] mine) {
    return from(ranks, 0, mine);
  }

  /** What one rank says, for all; that of the others is ignored. */
  static byte[] from(Communicator ranks, int speaker, byte[] mine) {
    long[] length = {mine.length};
    ranks.broadcast(MemorySegment.ofArray(length), speaker);
    byte[] message = ranks.rank() == speaker ? mine.clone() : new byte[Math.toIntExact(length[0])];
    ranks.broadcast(MemorySegment.ofArray(message), speaker);
    return message;
  }

  private static long[] lengths(Communicator ranks, byte[] mine) {
    long[] lengths = new long[ranks.size()];
    MemorySegment length = MemorySegment.ofArray(new long[] {mine.length});
    ranks.allgather(length, MemorySegment.ofArray(lengths));
    return lengths;
  }

  private static List<byte[]> split(byte[] all, long[] lengths) {
    List<byte[]> messages = new ArrayList<>();
    int at = 0;
    for (long length : lengths) {
      messages.add(MemorySegment.ofArray(all).asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
      at += Math.toIntExact(length);
    }
    return messages;
  }
}
