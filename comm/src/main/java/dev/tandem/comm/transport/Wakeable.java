package dev.tandem.comm.transport;

/** Whoever waits in a call and can be made to look around, from any thread. */
interface Wakeable {

  void wake();
}
