package dev.tandem.comm.transport;

/**
 * A receive that has begun and borrows its memory until it is awaited or abandoned, by the thread
 * that began it; those from one rank in the order in which they began.
 */
public interface Arrival {

  /** Waits until the message is there. */
  void await();

  /** Gives the receive up, after a failure; when it returns, nobody writes into the memory. */
  default void abandon() {}
}
