package dev.tandem.data.read.mode;

import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Whether a database is brought into the page cache while it is read, and then read from there. */
public enum CachePolicy {
  /** It is where it fits into free memory and is read again, or in random order. */
  AUTO,
  /** It is. */
  MEMORY,
  /** It is not. */
  NONE;

  /** The codes of all policies, as on the command line. */
  public static final List<String> CODES = Arrays.stream(values()).map(CachePolicy::code).toList();

  /** The name of the policy on the command line. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The policy of this code. */
  public static CachePolicy of(String code) {
    for (CachePolicy policy : values()) {
      if (policy.code().equals(code)) {
        return policy;
      }
    }
    throw new UsageException("cache '%s': expected one of %s".formatted(code, CODES));
  }
}
