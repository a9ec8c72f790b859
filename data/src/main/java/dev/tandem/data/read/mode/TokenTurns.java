package dev.tandem.data.read.mode;

import dev.tandem.data.read.request.RequestThreads;
import java.util.ArrayList;
import java.util.List;

/**
 * Staggering: the roots of all hosts stand in groups, and only those with a token have requests
 * under way. There are as many tokens as roots in a group; a root passes its token to the one with
 * the same place in the next group when the requests of its turn are done. A turn has the same
 * iterations for all roots, so no root waits for a token that never comes.
 */
final class TokenTurns implements ReadTurns {

  private final Peers roots;
  private final long iterationsATurn;
  private final long turns;
  private final int next;
  private final int previous;
  private final boolean first;
  private final boolean alone;

  /** The turn whose token is here, or the last one that was. */
  private long turn = -1;

  private boolean held;
  private long waited;

  /**
   * @param roots of all hosts, neighbours in the file next to each other
   * @param group roots that read at a time
   */
  TokenTurns(Peers roots, int group, long iterations, long iterationsATurn) {
    this.roots = roots;
    this.iterationsATurn = iterationsATurn;
    this.turns = Math.ceilDiv(iterations, iterationsATurn);
    List<Integer> chain = new ArrayList<>();
    for (int root = roots.rank() % group; root < roots.size(); root += group) {
      chain.add(root);
    }
    int place = chain.indexOf(roots.rank());
    this.next = chain.get((place + 1) % chain.size());
    this.previous = chain.get((place + chain.size() - 1) % chain.size());
    this.first = place == 0;
    this.alone = chain.size() == 1;
  }

  @Override
  public void begin(long iteration) {
    // A root without records stands after the last iteration from the beginning.
    long wanted = Math.min(iteration / iterationsATurn, turns - 1);
    while (turn < wanted) {
      pass();
      take();
    }
  }

  @Override
  public void end(long nextIteration, RequestThreads threads) {
    long following = nextIteration / iterationsATurn;
    if (held && following > turn) {
      threads.awaitIdle();
      pass();
    }
  }

  /** Passes on all tokens that are still to come. */
  @Override
  public void finish(RequestThreads threads) {
    if (held) {
      threads.awaitIdle();
    }
    pass();
    while (turn < turns - 1) {
      take();
      pass();
    }
  }

  private void take() {
    turn++;
    held = true;
    if (!alone && !(first && turn == 0)) {
      long began = System.nanoTime();
      roots.receive(new byte[1], previous);
      waited += System.nanoTime() - began;
    }
  }

  private void pass() {
    if (!held) {
      return;
    }
    held = false;
    // The token of the last turn ends with the last of the chain.
    boolean ends = turn == turns - 1 && next <= roots.rank();
    if (!alone && !ends) {
      roots.send(new byte[1], next);
    }
  }

  @Override
  public long waited() {
    return waited;
  }
}
