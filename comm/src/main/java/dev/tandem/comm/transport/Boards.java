package dev.tandem.comm.transport;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The boards of one rank that are open, so that a loss can wake whoever sleeps at one. */
final class Boards {

  private final Set<Board> open = ConcurrentHashMap.newKeySet();

  Board add(Board board) {
    open.add(board);
    return board;
  }

  void remove(Board board) {
    open.remove(board);
  }

  void nudgeAll() {
    open.forEach(Board::nudge);
  }
}
