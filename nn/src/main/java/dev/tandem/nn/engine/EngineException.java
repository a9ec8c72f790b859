package dev.tandem.nn.engine;

import dev.tandem.core.WorkFailedException;

/**
 * The engine could not do what it was asked: shapes that do not fit, memory that is not there. The
 * step is lost, the process is not: all tensors of the step are freed with its scope, and the next
 * step may be tried.
 */
public final class EngineException extends WorkFailedException {

  private static final long serialVersionUID = 1L;

  private final boolean outOfMemory;

  EngineException(String message, boolean outOfMemory) {
    super(message);
    this.outOfMemory = outOfMemory;
  }

  /** Of a C++ exception with this type (as the compiler mangles it) and message. */
  static EngineException of(String type, String message) {
    String line = message.lines().findFirst().orElse("no message").strip();
    boolean outOfMemory =
        type.equals("St9bad_alloc")
            || type.equals("N3c1016OutOfMemoryErrorE")
            || line.contains("can't allocate memory");
    return new EngineException(
        outOfMemory
            ? "the compute engine is out of memory ("
                + line
                + "): use a smaller batch, fewer processes or a machine with more memory"
            : "the compute engine failed: " + line,
        outOfMemory);
  }

  /** Whether memory was short: less work at once may succeed. */
  public boolean outOfMemory() {
    return outOfMemory;
  }
}
