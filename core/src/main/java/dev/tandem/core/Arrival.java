package dev.tandem.core;

/** Tells when the tensors of a state are there: a device may still be copying them. */
public interface Arrival {

  /** Of tensors that are there. */
  Arrival HERE =
      new Arrival() {
        @Override
        public void await() {}

        @Override
        public void done() {}
      };

  /** Waits, in any thread, until the tensors have the state. */
  void await();

  /** The tensors are no longer read: their memory may take another state. Called once. */
  void done();
}
