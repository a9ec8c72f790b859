package dev.tandem.nn.yaml;

import dev.tandem.core.UsageException;

/**
 * A key of a mapping or its value is wrong. Whoever read the mapping out of a larger document says
 * where in it, by {@link #within}, and at last which line that is, by {@link KeyPlaces}.
 */
public final class KeyException extends UsageException {

  private static final long serialVersionUID = 1L;

  private final String key;

  /**
   * A mistake.
   *
   * @param key the key, such as {@code layers[2].kernel}; empty for the mapping as a whole
   */
  public KeyException(String key, String message) {
    super(message);
    this.key = key;
  }

  /** The key, from the root of what was read. */
  public String key() {
    return key;
  }

  /**
   * The same, seen from the mapping around it.
   *
   * @param outer the key in it under which this one was read; empty for the same mapping
   * @param owner what the message is to begin with, if it does not yet
   */
  public KeyException within(String outer, String owner) {
    boolean said = getMessage().startsWith(owner + ":");
    return new KeyException(join(outer, key), said ? getMessage() : owner + ": " + getMessage());
  }

  static String join(String path, String key) {
    return path.isEmpty() || key.isEmpty()
        ? path + key
        : key.startsWith("[") ? path + key : path + "." + key;
  }
}
