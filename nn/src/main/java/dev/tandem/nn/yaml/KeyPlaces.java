package dev.tandem.nn.yaml;

import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import java.util.Optional;
import java.util.regex.Matcher;

/** Where keys of a configuration are written, for messages about them. */
public interface KeyPlaces {

  /** What the configuration is called as a whole, such as the name of its file. */
  String document();

  /** The file and line, or the option, that says this key itself; none if it is left out. */
  Optional<String> of(String key);

  /** The same for the key or else for the nearest one around it; at last the whole. */
  default String nearest(String key) {
    for (String at = key; !at.isEmpty(); at = outer(at)) {
      Optional<String> place = of(at);
      if (place.isPresent()) {
        return place.get();
      }
    }
    return document();
  }

  /** A failure with the place in front of its message, if the message begins with a key. */
  default TandemException placed(TandemException failure) {
    Matcher key = MentionedKey.KEY.matcher(failure.getMessage());
    if (!key.lookingAt()) {
      return failure;
    }
    // A single word may be any; one of several with a known section around it is a key.
    boolean section = key.group().contains(".") && !nearest(key.group()).equals(document());
    if (of(key.group()).isEmpty() && !section) {
      return failure;
    }
    String message = nearest(key.group()) + ": " + failure.getMessage();
    return failure instanceof UsageException
        ? new UsageException(message)
        : failure instanceof WorkFailedException
            ? new WorkFailedException(message, failure)
            : failure;
  }

  private static String outer(String key) {
    return key.substring(0, Math.max(0, Math.max(key.lastIndexOf('.'), key.lastIndexOf('['))));
  }
}
