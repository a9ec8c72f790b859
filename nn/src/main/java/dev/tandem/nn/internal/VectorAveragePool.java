package dev.tandem.nn.internal;

import static dev.tandem.nn.internal.Bfloat16Lanes.FLOATS;
import static dev.tandem.nn.internal.Bfloat16Lanes.SHORTS;

import dev.tandem.nn.internal.ImageWindows.Side;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import org.bytedeco.pytorch.Tensor;

/**
 * The backward pass of the mean over windows of bfloat16 images, by the vector unit; see {@link
 * VectorUnit}. The engine's forward pass is fast enough.
 */
final class VectorAveragePool {

  private final ImageWindows windows;
  private final Side lines;
  private final Side columns;

  VectorAveragePool(ImageWindows windows) {
    this.windows = windows;
    lines = windows.lines();
    columns = windows.columns();
  }

  /** The gradient by the input. */
  Tensor backward(Tensor outputGradient) {
    Tensor gradient = Torch.fast(outputGradient);
    Tensor result = windows.newInputs(gradient);
    MemorySegment from = Torch.memory(gradient);
    MemorySegment to = Torch.memory(result);
    for (long sample = 0; sample < gradient.size(0); sample++) {
      backward(windows.output(from, sample), windows.input(to, sample));
    }
    return result.permute(0, 3, 1, 2);
  }

  private void backward(MemorySegment gradient, MemorySegment result) {
    int at = 0;
    for (int line = 0; line < lines.in(); line++) {
      for (int column = 0; column < columns.in(); column++) {
        for (int channel = 0; channel < windows.channels(); channel += FLOATS.length()) {
          Bfloat16Lanes.store(sum(gradient, line, column, channel), result, at);
          at += SHORTS.vectorByteSize();
        }
      }
    }
  }

  /** What comes from all windows that hold an element: of each its share. */
  private FloatVector sum(MemorySegment gradient, int line, int column, int channel) {
    int lineEnd = lines.lastWindow(line);
    int columnBegin = columns.firstWindow(column);
    int columnEnd = columns.lastWindow(column);
    FloatVector sum = FloatVector.zero(FLOATS);
    for (int i = lines.firstWindow(line); i <= lineEnd; i++) {
      for (int j = columnBegin; j <= columnEnd; j++) {
        float share = 1f / (lines.width(i) * columns.width(j));
        int offset = windows.outputOffset(i, j, channel);
        sum = sum.add(Bfloat16Lanes.load(gradient, offset).mul(share));
      }
    }
    return sum;
  }
}
