package dev.tandem.bench.read;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.tandem.posix.GroupLimit;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** In which order and under which limit records are read. */
public enum ReadAccess {
  /** In the order of keys, every process its share of every batch. */
  STRIDED,
  /** In a random order. */
  SHUFFLED,
  /** In a random order with little memory for the page cache. */
  LIMITED,
  /** In the order of keys from storage that allows few requests a second. */
  THROTTLED,
  /** In the order of keys from storage that takes long for each request. */
  LATENCY,
  /** In the order of keys, epoch after epoch. */
  REPEATED,
  /** In random orders, epoch after epoch, as training loads them; peers read without decoding. */
  LOADER;

  private static final long LIMITED_MEMORY = 768L << 20;
  private static final int THROTTLED_REQUESTS = 1000;

  /** The contenders that later rounds measure again. */
  Set<String> compared(boolean warm) {
    return switch (this) {
      case STRIDED ->
          warm
              ? Set.of("liblmdb", "auto")
              : Set.of("ceiling", "liblmdb", "lmdbjava", "auto", "auto-noindex");
      case SHUFFLED -> Set.of("liblmdb", "liblmdb-nordahead", "auto");
      case LIMITED -> Set.of("liblmdb", "auto");
      case THROTTLED, LATENCY -> Set.of("liblmdb", "lmdb", "auto");
      case REPEATED -> Set.of("liblmdb", "auto");
      case LOADER -> Set.of("liblmdb", "loader");
    };
  }

  /** What the processes of a contender are limited to. */
  List<GroupLimit> limits(DiskDevice disk) {
    return switch (this) {
      case LIMITED -> List.of(new GroupLimit.Memory(LIMITED_MEMORY));
      case THROTTLED -> List.of(new GroupLimit.ReadRequests(disk.numbers(), THROTTLED_REQUESTS));
      case STRIDED, SHUFFLED, LATENCY, REPEATED, LOADER -> List.of();
    };
  }

  boolean inKeyOrder() {
    return switch (this) {
      case STRIDED, THROTTLED, LATENCY, REPEATED -> true;
      case SHUFFLED, LIMITED, LOADER -> false;
    };
  }

  /** What the contenders call the order. */
  String order() {
    return inKeyOrder() ? "strided" : "shuffled";
  }

  /** As in the results. */
  @Override
  @JsonValue
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
