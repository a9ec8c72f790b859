package dev.tandem.train;

import dev.tandem.data.load.Batch;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.StallReport;
import dev.tandem.data.order.Position;
import dev.tandem.train.InputPart.Pieces;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The batches of another source with the inputs of some samples only; targets are those of all.
 * Owns the other source.
 */
final class SharedBatches implements BatchSource {

  private final BatchSource all;
  private final InputPart part;
  private final Pieces pieces;
  private final KeptMemory memory = new KeptMemory();

  SharedBatches(BatchSource all, InputPart part, Pieces pieces) {
    this.all = all;
    this.part = part;
    this.pieces = pieces;
  }

  @Override
  public boolean hasNext() {
    return all.hasNext();
  }

  @Override
  public Batch next() {
    Batch batch = all.next();
    List<InputPart.Run> runs = part.runs(batch, pieces);
    long each = batch.count() == 0 ? 0 : batch.images().byteSize() / batch.count();
    MemorySegment inputs = memory.of(each * part.count(batch, pieces));
    long at = 0;
    for (InputPart.Run run : runs) {
      MemorySegment.copy(batch.images(), run.from() * each, inputs, at, run.count() * each);
      at += run.count() * each;
    }
    return batch.withImages(inputs);
  }

  @Override
  public Position position() {
    return all.position();
  }

  @Override
  public int ready() {
    return all.ready();
  }

  @Override
  public StallReport stalls() {
    return all.stalls();
  }

  @Override
  public void close() {
    all.close();
    memory.close();
  }
}
