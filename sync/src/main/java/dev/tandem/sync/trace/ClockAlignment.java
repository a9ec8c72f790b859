package dev.tandem.sync.trace;

import dev.tandem.comm.Communicator;
import java.lang.foreign.MemorySegment;

/**
 * How far the clock of this rank is ahead of that of rank 0. Ranks of one host have the same clock;
 * others are asked a few times, and the quickest answer counts: its error is at most half of the
 * time that it took.
 *
 * @param nanos to subtract from {@link System#nanoTime} to get rank 0's
 */
public record ClockAlignment(long nanos) {

  private static final int QUESTIONS = 10;

  /** Measures; all ranks do this at the same time. */
  public static ClockAlignment measure(Communicator communicator) {
    long offset = 0;
    for (int rank = 1; rank < communicator.size(); rank++) {
      if (communicator.rank() == 0) {
        answer(communicator, rank);
      } else if (communicator.rank() == rank) {
        offset = ask(communicator);
      }
    }
    return new ClockAlignment(offset);
  }

  private static void answer(Communicator communicator, int rank) {
    long[] word = new long[1];
    for (int i = 0; i < QUESTIONS; i++) {
      communicator.receive(MemorySegment.ofArray(word), rank);
      word[0] = System.nanoTime();
      communicator.send(MemorySegment.ofArray(word), rank);
    }
  }

  private static long ask(Communicator communicator) {
    long best = Long.MAX_VALUE;
    long offset = 0;
    long[] word = new long[1];
    for (int i = 0; i < QUESTIONS; i++) {
      long began = System.nanoTime();
      communicator.send(MemorySegment.ofArray(word), 0);
      communicator.receive(MemorySegment.ofArray(word), 0);
      long took = System.nanoTime() - began;
      if (took < best) {
        best = took;
        offset = began + took / 2 - word[0];
      }
    }
    return offset;
  }
}
