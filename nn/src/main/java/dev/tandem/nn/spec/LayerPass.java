package dev.tandem.nn.spec;

/** Which pass of a layer. */
public enum LayerPass {
  /** From inputs to output. */
  FORWARD,
  /** From the gradient of the output to those of the inputs. */
  BACKWARD_DATA,
  /** From the gradient of the output to those of the parameters. */
  BACKWARD_WEIGHTS,
  /** Both at once, for layers with parameters whose kernels share most of that work. */
  BACKWARD
}
