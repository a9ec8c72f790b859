package dev.tandem.ensemble.drive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Energy of the processors' packages as the kernel reports it (RAPL), where it may be read. */
final class Energy {

  private static final Path POWER_CAP = Path.of("/sys/class/powercap");

  private Energy() {}

  /**
   * Joules on a counter that only grows, now and then beginning again; empty if none is readable.
   */
  static Optional<Double> joules() {
    double joules = 0;
    boolean any = false;
    try (DirectoryStream<Path> zones = Files.newDirectoryStream(POWER_CAP, "*-rapl:?")) {
      for (Path zone : zones) {
        joules += Long.parseLong(Files.readString(zone.resolve("energy_uj")).strip()) / 1e6;
        any = true;
      }
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
    return any ? Optional.of(joules) : Optional.empty();
  }

  /** Joules since then; empty if they are not known, or the counter began again. */
  static Optional<Double> since(Optional<Double> before) {
    return before
        .flatMap(then -> joules().map(now -> now - then))
        .filter(difference -> difference >= 0);
  }
}
