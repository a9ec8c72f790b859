package dev.tandem.nn.engine;

import java.nio.file.Path;

/** The folder of a user for what can be made again: {@code TANDEM_CACHE}, or where XDG puts it. */
final class UserCache {

  private UserCache() {}

  static Path folder() {
    String named = System.getProperty("tandem.cache", System.getenv("TANDEM_CACHE"));
    if (named != null && !named.isBlank()) {
      return Path.of(named).toAbsolutePath();
    }
    String caches = System.getenv("XDG_CACHE_HOME");
    Path home = Path.of(System.getProperty("user.home"));
    Path all = caches == null || caches.isBlank() ? home.resolve(".cache") : Path.of(caches);
    return all.toAbsolutePath().resolve("tandem");
  }
}
