package dev.tandem.comm.transport;

/** A call that waits and can be made to look around, from any thread. */
interface Wakeable {

  void wake();
}
