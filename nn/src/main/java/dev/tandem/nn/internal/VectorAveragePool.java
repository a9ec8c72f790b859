package dev.tandem.nn.internal;

import static dev.tandem.nn.internal.Bfloat16Lanes.BYTES;
import static dev.tandem.nn.internal.Bfloat16Lanes.FLOATS;

import dev.tandem.nn.engine.Tensor;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * The backward pass of the mean over windows of bfloat16 images, by the vector unit; see {@link
 * VectorUnit}. The engine's forward pass is fast enough.
 */
final class VectorAveragePool {

  private final ImageWindows windows;
  private final WindowLinks links;

  VectorAveragePool(ImageWindows windows) {
    this.windows = windows;
    links = WindowLinks.ofInputs(windows);
  }

  /** The gradient by the input. */
  Tensor backward(Tensor outputGradient) {
    Tensor gradient = Torch.fast(outputGradient);
    Tensor result = windows.newInputs(gradient);
    MemorySegment from = gradient.memory();
    MemorySegment to = result.memory();
    VectorUnit.share(
        gradient.size(0),
        (begin, end) -> {
          for (long sample = begin; sample < end; sample++) {
            backward(windows.output(from, sample), windows.input(to, sample));
          }
        });
    return result.permute(0, 3, 1, 2);
  }

  private void backward(MemorySegment gradient, MemorySegment result) {
    int at = 0;
    for (int line = 0; line < windows.lines().in(); line++) {
      for (int column = 0; column < windows.columns().in(); column++) {
        WindowLinks.Group group = links.group(line, column);
        int first = links.first(line, column);
        for (int channel = 0; channel < windows.placeBytes(); channel += BYTES) {
          sum(gradient, first + channel, group, result, at + channel);
        }
        at += windows.placeBytes();
      }
    }
  }

  /** What comes from all windows that hold an element: of each its share. */
  private static void sum(
      MemorySegment gradient, int first, WindowLinks.Group group, MemorySegment result, int at) {
    int[] offsets = group.offsets;
    float[] shares = group.shares;
    FloatVector even = FloatVector.zero(FLOATS);
    FloatVector odd = FloatVector.zero(FLOATS);
    for (int i = 0; i < offsets.length; i++) {
      IntVector pairs = Bfloat16Lanes.load(gradient, first + offsets[i]);
      FloatVector share = FloatVector.broadcast(FLOATS, shares[i]);
      even = Bfloat16Lanes.even(pairs).fma(share, even);
      odd = Bfloat16Lanes.odd(pairs).fma(share, odd);
    }
    Bfloat16Lanes.store(even, odd, result, at);
  }
}
