package dev.tandem.sync.request;

import dev.tandem.core.WorkFailedException;

/** What became of a request. */
public sealed interface Outcome {

  /** The tensor holds the result. */
  record Completed() implements Outcome {}

  /** It cannot be done; the tensor may be half changed. */
  record Failed(RuntimeException cause) implements Outcome {}

  /** A rank shut the synchroniser down before its turn came; the tensor is unchanged. */
  record Aborted(String reason) implements Outcome {}

  /** The tensor holds the result. */
  static Outcome completed() {
    return new Completed();
  }

  /** Throws if there is no result. */
  default void orThrow() {
    switch (this) {
      case Completed completed -> {}
      case Failed failed -> throw failed.cause();
      case Aborted aborted -> throw new WorkFailedException(aborted.reason());
    }
  }
}
