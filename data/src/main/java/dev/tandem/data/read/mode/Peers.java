package dev.tandem.data.read.mode;

/**
 * The readers of a job as one of them sees them. A reader that is alone needs no communication, and
 * a new JVM none of its classes. All readers call the same collective methods in the same order;
 * {@link #send} and {@link #receive} are for one thread at a time.
 */
public interface Peers extends AutoCloseable {

  int rank();

  int size();

  /** The ranks of this reader's host, ascending. */
  int[] hostRanks();

  /** Which ranks are on which host: a number of the host for every rank. */
  int[] hosts();

  /** Returns when every reader has called it. */
  void barrier();

  /** Gives all the bytes of the root; all pass as many. */
  void broadcast(byte[] bytes, int root);

  void send(byte[] bytes, int to);

  /** Waits for bytes that another sends, exactly as many. */
  void receive(byte[] target, int from);

  /** Some ranks as peers of their own, for a thread of their own; exactly these call it. */
  Peers group(int... ranks);

  @Override
  void close();

  /** One reader by itself. */
  final class Alone implements Peers {

    @Override
    public int rank() {
      return 0;
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public int[] hostRanks() {
      return new int[] {0};
    }

    @Override
    public int[] hosts() {
      return new int[] {0};
    }

    @Override
    public void barrier() {
      // No other reader to wait for.
    }

    @Override
    public void broadcast(byte[] bytes, int root) {
      // It has them already.
    }

    @Override
    public void send(byte[] bytes, int to) {
      throw new IllegalStateException("a reader that is alone has no other to send to");
    }

    @Override
    public void receive(byte[] target, int from) {
      throw new IllegalStateException("a reader that is alone has no other to receive from");
    }

    @Override
    public Peers group(int... ranks) {
      return this;
    }

    @Override
    public void close() {
      // Nothing is held.
    }
  }
}
