package dev.tandem.sync.agent;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.sync.policy.Waiting;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The small collectives by which ranks agree; each tells the observer how long it took. */
final class ControlPlane {

  private final Communicator communicator;
  private final Waiting waiting;
  private final SyncObserver observer;

  ControlPlane(Communicator communicator, Waiting waiting, SyncObserver observer) {
    this.communicator = communicator;
    this.waiting = waiting;
    this.observer = observer;
  }

  int rank() {
    return communicator.rank();
  }

  int size() {
    return communicator.size();
  }

  /** Replaces words by the conjunction of those of all ranks. */
  void and(long[] words) {
    reduce(words, ReduceOp.BIT_AND);
  }

  /** Replaces words by the disjunction of those of all ranks. */
  void or(long[] words) {
    reduce(words, ReduceOp.BIT_OR);
  }

  /** The smallest value of all ranks. */
  long min(long value) {
    long[] word = {value};
    reduce(word, ReduceOp.MIN);
    return word[0];
  }

  /** Whether all ranks have the same number. */
  boolean same(long number) {
    long[] words = {number, ~number};
    and(words);
    return words[0] == number && words[1] == ~number;
  }

  private void reduce(long[] words, ReduceOp op) {
    long began = System.nanoTime();
    waiting.forConsent().ifPresent(communicator::waitBy);
    communicator.allreduce(MemorySegment.ofArray(words), DType.INT64, op);
    waiting.forConsent().ifPresent(_ -> communicator.waitBy(waiting.policy()));
    observer.agreed(began, System.nanoTime());
  }

  /** The messages of all ranks on rank 0, in rank order; nothing elsewhere. */
  List<byte[]> gather(byte[] mine) {
    long[] lengths = new long[size()];
    communicator.allgather(
        MemorySegment.ofArray(new long[] {mine.length}), MemorySegment.ofArray(lengths));
    byte[] all = new byte[rank() == 0 ? Math.toIntExact(Arrays.stream(lengths).sum()) : 0];
    communicator.gather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), lengths, 0);
    List<byte[]> messages = new ArrayList<>();
    int begin = 0;
    for (int rank = 0; rank() == 0 && rank < size(); rank++) {
      int end = begin + (int) lengths[rank];
      messages.add(Arrays.copyOfRange(all, begin, end));
      begin = end;
    }
    return messages;
  }

  /** The message of rank 0 on all ranks. */
  byte[] broadcast(byte[] message) {
    long[] length = {message.length};
    communicator.broadcast(MemorySegment.ofArray(length), 0);
    byte[] data = rank() == 0 ? message : new byte[Math.toIntExact(length[0])];
    communicator.broadcast(MemorySegment.ofArray(data), 0);
    return data;
  }
}
