package dev.tandem.posix;

import java.util.Optional;

/** Something that the machine may or may not offer; if not, it says why. */
public sealed interface Capability<T> {

  /** It is there. */
  record Present<T>(T thing) implements Capability<T> {}

  /**
   * It is not there.
   *
   * @param reason one line that names what is missing and, where there is one, the remedy
   */
  record Missing<T>(String reason) implements Capability<T> {}

  /** The thing itself, if it is there. */
  default Optional<T> value() {
    return switch (this) {
      case Present<T> present -> Optional.of(present.thing());
      case Missing<T> missing -> Optional.empty();
    };
  }

  /** The thing itself; a caller that was told to use it fails loudly. */
  default T orElseThrow() {
    return switch (this) {
      case Present<T> present -> present.thing();
      case Missing<T> missing -> throw new UnsupportedOperationException(missing.reason());
    };
  }
}
