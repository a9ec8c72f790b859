package dev.tandem.train;

import dev.tandem.data.load.Batch;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.StallReport;
import dev.tandem.data.order.Position;
import dev.tandem.nn.Network;
import java.util.NoSuchElementException;

/**
 * Batches for a network on a device: while one is computed, the next is copied there. A batch that
 * was given has been copied; its memory on the host is for naming the copy only, since it may hold
 * another batch already.
 */
final class AheadBatches implements BatchSource {

  private final BatchSource source;
  private final Network network;
  private Batch coming;
  private Position position;

  /**
   * The batches of a source, which is closed with this.
   *
   * @param network takes them; borrowed
   */
  AheadBatches(BatchSource source, Network network) {
    this.source = source;
    this.network = network;
    position = source.position();
  }

  @Override
  public boolean hasNext() {
    return coming != null || source.hasNext();
  }

  @Override
  public Batch next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the batches end after step " + position.step());
    }
    if (coming == null) {
      coming = stage();
    }
    Batch given = coming;
    Position after = source.position();
    // What is on the host may change from here on; the copy is complete.
    network.awaitStaged();
    coming = source.hasNext() ? stage() : null;
    position = after;
    return given;
  }

  private Batch stage() {
    Batch batch = source.next();
    if (batch.count() > 0) {
      network.stage(batch.images(), batch.labels());
    }
    return batch;
  }

  @Override
  public Position position() {
    return position;
  }

  @Override
  public int ready() {
    return source.ready() + (coming == null ? 0 : 1);
  }

  @Override
  public StallReport stalls() {
    return source.stalls();
  }

  @Override
  public void close() {
    network.unstage();
    source.close();
  }
}
