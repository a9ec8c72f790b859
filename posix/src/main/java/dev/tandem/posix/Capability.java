package dev.tandem.posix;

import java.util.Optional;

/**
 * Something that the machine may or may not offer; if not, it says why. Asked while processes
 * start, so without a switch over the two, whose class a JVM would write at run time.
 */
public sealed interface Capability<T> {

  /** The thing itself, if it is there. */
  Optional<T> value();

  /** The thing itself; a caller that was told to use it fails loudly. */
  T orElseThrow();

  /** It is there. */
  record Present<T>(T thing) implements Capability<T> {

    @Override
    public Optional<T> value() {
      return Optional.of(thing);
    }

    @Override
    public T orElseThrow() {
      return thing;
    }
  }

  /**
   * It is not there.
   *
   * @param reason one line that names what is missing and, where there is one, the remedy
   */
  record Missing<T>(String reason) implements Capability<T> {

    @Override
    public Optional<T> value() {
      return Optional.empty();
    }

    @Override
    public T orElseThrow() {
      throw new UnsupportedOperationException(reason);
    }
  }
}
