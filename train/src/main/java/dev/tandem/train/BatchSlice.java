package dev.tandem.train;

import dev.tandem.data.load.Batch;
import dev.tandem.nn.Samples;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A part of a batch.
 *
 * @param from its first sample within the batch
 * @param inputs those of its samples that the rank's network takes
 */
record BatchSlice(Batch batch, int from, int count, MemorySegment inputs) {

  /** Where the engine's kernels take the same path every time. */
  private static final long ALIGNMENT = 64;

  /**
   * As the network takes it in training, mixed if the configuration wants that.
   *
   * @param step its number
   * @param place of its first sample among the samples of all ranks in the step
   */
  Samples samples(Arena arena, Mixup mixup, long step, long place) {
    Samples own = samples(arena);
    return mixup.mixes(count) ? mixup.mixed(own, arena, step, place) : own;
  }

  /** As the network takes it; copied if it does not begin at a good address. */
  Samples samples(Arena arena) {
    long labelBytes = batch.labels().byteSize() / batch.count();
    MemorySegment labels = batch.labels().asSlice(from * labelBytes, count * labelBytes);
    MemorySegment aligned =
        inputs.address() % ALIGNMENT == 0
            ? inputs
            : arena.allocate(inputs.byteSize(), ALIGNMENT).copyFrom(inputs);
    return new Samples(aligned, labels, count);
  }
}
