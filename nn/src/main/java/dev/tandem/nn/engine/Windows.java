package dev.tandem.nn.engine;

import java.util.Arrays;

/** How a window moves over an input, with one number for each dimension of space. */
public final class Windows {

  private final long[] kernel;
  private final long[] stride;
  private final long[] padding;
  private final long[] dilation;

  /**
   * Windows of this size, this far apart.
   *
   * @param dilation distance of the window's elements; averages take no notice of it
   */
  public Windows(long[] kernel, long[] stride, long[] padding, long[] dilation) {
    this.kernel = kernel.clone();
    this.stride = stride.clone();
    this.padding = padding.clone();
    this.dilation = dilation.clone();
  }

  /** Dimensions of space. */
  int dimensions() {
    return kernel.length;
  }

  /** Whether they reach past the input. */
  public boolean padded() {
    return Arrays.stream(padding).anyMatch(each -> each > 0);
  }

  // For the engine, which does not change them.

  long[] kernel() {
    return kernel;
  }

  long[] stride() {
    return stride;
  }

  long[] padding() {
    return padding;
  }

  long[] dilation() {
    return dilation;
  }
}
