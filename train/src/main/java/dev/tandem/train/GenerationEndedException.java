package dev.tandem.train;

/**
 * The state is saved and this generation of the job left, in all ranks: others wait to join, or
 * some were asked to end.
 */
final class GenerationEndedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  GenerationEndedException(long step) {
    super("left after step " + step);
  }
}
