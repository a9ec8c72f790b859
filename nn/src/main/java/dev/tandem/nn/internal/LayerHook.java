package dev.tandem.nn.internal;

/** Told before a layer with parameters computes, by the number of its first parameter. */
public interface LayerHook {

  /** Nothing happens, and parameters stay where they are. */
  LayerHook NONE =
      new LayerHook() {
        @Override
        public void beforeForward(int parameter) {}

        @Override
        public void beforeBackward(int parameter) {}

        @Override
        public boolean parametersStay() {
          return true;
        }
      };

  void beforeForward(int parameter);

  void beforeBackward(int parameter);

  /**
   * Whether parameters are there between the passes, too. Otherwise layers keep no converted copies
   * of them either.
   */
  boolean parametersStay();
}
