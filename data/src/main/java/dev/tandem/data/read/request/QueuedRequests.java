package dev.tandem.data.read.request;

import dev.tandem.posix.IoUring;
import dev.tandem.posix.PositionalFile;

/**
 * Works rounds off by the kernel's queue, many requests at a time. Whatever does not come whole, at
 * the end of a file or because of an error, is read once more in the usual way, which knows what to
 * make of it. For one thread.
 */
final class QueuedRequests {

  /** What part of the requests under way must be done before more are handed over. */
  private static final int PARTS = 4;

  private final RequestThreads rounds;
  private final IoUring queue;
  private final int depth;
  private final PositionalFile file;

  // Of each request under way, by its number; and the numbers that are free.
  private final ReadRound[] roundOf;
  private final int[] requestOf;
  private final int[] free;
  private int freeCount;

  QueuedRequests(RequestThreads rounds, IoUring queue, int depth, PositionalFile file) {
    this.rounds = rounds;
    this.queue = queue;
    this.depth = depth;
    this.file = file;
    this.roundOf = new ReadRound[depth];
    this.requestOf = new int[depth];
    this.free = new int[depth];
    for (int i = 0; i < depth; i++) {
      free[freeCount++] = i;
    }
  }

  /** Works off what follows this round, until nothing will follow. */
  void work(ReadRound start) {
    try {
      ReadRound round = start;
      while (round != null) {
        round = ask(round);
        if (freeCount < depth) {
          // With room left there is nothing more to ask for: the next result may bring some.
          queue.submitAndWait(freeCount > 0 ? 1 : Math.max(1, depth / PARTS));
          take();
        }
      }
    } finally {
      drain();
    }
  }

  /** Asks for as much as may be under way; returns the round in hand, or null at the end. */
  private ReadRound ask(ReadRound inHand) {
    ReadRound round = inHand;
    while (freeCount > 0) {
      int request = round.take();
      if (request >= 0) {
        int number = free[--freeCount];
        roundOf[number] = round;
        requestOf[number] = request;
        queue.prepareRead(
            round.segment(),
            round.place(request),
            round.position(request),
            round.length(request),
            number);
        continue;
      }
      boolean idle = freeCount == depth;
      ReadRound next = idle ? rounds.following(round) : rounds.followingNow(round);
      if (next == null) {
        return idle ? null : round;
      }
      round = next;
    }
    return round;
  }

  private void take() {
    int done = 0;
    while (queue.next()) {
      int number = queue.number();
      ReadRound round = roundOf[number];
      int request = requestOf[number];
      roundOf[number] = null;
      free[freeCount++] = number;
      if (queue.result() != round.length(request)) {
        rounds.read(file, round, request);
      }
      round.finished();
      done++;
    }
    rounds.finished(done);
  }

  /** After a failure the kernel may still write into memory. */
  private void drain() {
    while (freeCount < depth) {
      queue.submitAndWait(1);
      while (queue.next()) {
        free[freeCount++] = queue.number();
      }
    }
  }
}
