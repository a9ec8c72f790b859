package dev.tandem.sync.compress;

import java.util.concurrent.atomic.LongAdder;

/** What the transfers of a synchroniser leave to be known: residuals and bytes. Thread-safe. */
public final class Ledger {

  private final Residuals residuals = new Residuals();
  private final LongAdder tensorBytes = new LongAdder();
  private final LongAdder payloadBytes = new LongAdder();

  /** What compressed tensors left behind. */
  public Residuals residuals() {
    return residuals;
  }

  /**
   * Tensors were written.
   *
   * @param tensors bytes of them
   * @param payload bytes that were written for them
   */
  public void add(long tensors, long payload) {
    tensorBytes.add(tensors);
    payloadBytes.add(payload);
  }

  /** All bytes so far. */
  public Volume volume() {
    return new Volume(tensorBytes.sum(), payloadBytes.sum());
  }
}
