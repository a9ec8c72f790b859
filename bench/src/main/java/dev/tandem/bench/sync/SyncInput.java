package dev.tandem.bench.sync;

import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Where the samples of a step come from. Those that are decoded are JPEG files, of which a random
 * part is cut out, brought to the network's size, and mirrored or not.
 */
enum SyncInput {
  /** Four threads decode images of 192x192. */
  HEAVY(4, 192),
  /** Two threads decode images of 64x64. */
  LIGHT(2, 64),
  /** One batch again and again, no input threads. */
  SYNTHETIC(0, 0);

  private final int threads;
  private final int side;

  SyncInput(int threads, int side) {
    this.threads = threads;
    this.side = side;
  }

  /** Threads that decode and augment. */
  int threads() {
    return threads;
  }

  /** Height and width of the images. */
  int side() {
    return side;
  }

  String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  static List<String> codes() {
    return Arrays.stream(values()).map(SyncInput::code).toList();
  }

  static SyncInput of(String code) {
    return Arrays.stream(values())
        .filter(input -> input.code().equals(code))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "input must be one of %s, not '%s'"
                        .formatted(String.join(", ", codes()), code)));
  }
}
