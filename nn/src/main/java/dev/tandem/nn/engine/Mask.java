package dev.tandem.nn.engine;

/** Which of the three results of a backward function are wanted. */
public enum Mask {
  DATA(true, false, false),
  WEIGHTS(false, true, false),
  WEIGHTS_AND_BIAS(false, true, true),
  DATA_AND_WEIGHTS(true, true, false),
  ALL(true, true, true);

  private final long bits;

  Mask(boolean first, boolean second, boolean third) {
    bits = (first ? 1 : 0) | (second ? 1 << 8 : 0) | (third ? 1 << 16 : 0);
  }

  long bits() {
    return bits;
  }
}
