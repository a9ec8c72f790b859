package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Optional;

/**
 * Whether the loaded libtorch does what we take for granted: a handful of operations, of each way
 * to pass arguments one, against results worked out by hand. Takes a few milliseconds.
 */
final class SelfTest {

  private static final Windows WINDOWS =
      new Windows(new long[] {2, 2}, new long[] {1, 1}, new long[] {0, 0}, new long[] {1, 1});

  private SelfTest() {}

  /** What went wrong first, if anything did. */
  static Optional<String> failure() {
    try (Arena arena = Arena.ofConfined();
        Scope _ = new Scope()) {
      Tensor matrix = Tensor.of(arena.allocateFrom(JAVA_FLOAT, 1, 2, 3, 4), ScalarType.FLOAT, 2, 2);
      expect("mm", matrix.mm(matrix), 7, 10, 15, 22);
      expect("add", matrix.add(matrix, 0.5), 1.5f, 3, 4.5f, 6);
      expect("sum", matrix.sum(0), 4, 6);
      expect("transpose", matrix.t().contiguous(), 1, 3, 2, 4);
      expect(
          "cat",
          Functions.concatenate(0, matrix.narrow(0, 1, 1), matrix.select(0, 0).unsqueeze(0)),
          3,
          4,
          1,
          2);
      expect("gelu", Functions.gelu(matrix.mul(0)), 0, 0, 0, 0);
      expect("max", Functions.max(matrix, 1).first(), 2, 4);
      Tensor image =
          Tensor.of(
              arena.allocateFrom(JAVA_FLOAT, 1, 2, 3, 4, 5, 6, 7, 8, 9),
              ScalarType.FLOAT,
              1,
              1,
              3,
              3);
      Tensor weight = matrix.reshape(1, 1, 2, 2);
      Tensor bias = Tensor.of(arena.allocateFrom(JAVA_FLOAT, 10), ScalarType.FLOAT, 1);
      Tensor output = Functions.convolution(image, weight, bias, WINDOWS, 1);
      expect("convolution", output, 47, 57, 77, 87);
      Functions.Three gradients =
          Functions.convolutionBackward(
              output.fullLike(1), image, weight, new long[] {1}, WINDOWS, 1, Mask.ALL);
      expect("convolution_backward, input", gradients.first(), 1, 3, 2, 4, 10, 6, 3, 7, 4);
      expect("convolution_backward, weight", gradients.second(), 12, 16, 24, 28);
      expect("convolution_backward, bias", gradients.third(), 4);
      return Optional.ofNullable(withoutException(matrix, image));
    } catch (Unequal e) {
      return Optional.of(e.getMessage());
    } catch (EngineException e) {
      return Optional.of(e.getMessage());
    }
  }

  /** An exception of C++ must come back as one of Java, with its message. */
  private static String withoutException(Tensor matrix, Tensor image) {
    try {
      matrix.mm(image);
      return "mm of a matrix and an image is not refused";
    } catch (EngineException e) {
      return e.getMessage().contains("matrix") && !e.outOfMemory()
          ? null
          : "an error says '" + e.getMessage() + "'";
    }
  }

  private static void expect(String what, Tensor actual, float... expected) {
    float[] values = actual.contiguous().memory().toArray(JAVA_FLOAT);
    if (!Arrays.equals(values, expected)) {
      throw new Unequal(
          what + " is " + Arrays.toString(values) + " instead of " + Arrays.toString(expected));
    }
  }

  private static final class Unequal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unequal(String message) {
      super(message);
    }
  }
}
