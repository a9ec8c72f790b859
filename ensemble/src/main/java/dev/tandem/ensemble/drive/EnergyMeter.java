package dev.tandem.ensemble.drive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts the energy of the processors' packages as the kernel reports it (RAPL). Its counters begin
 * again after some minutes of load, so {@link #look} must be called more often. One thread.
 */
final class EnergyMeter {

  /** Where the kernel shows its counters. */
  static final Path POWER_CAP = Path.of("/sys/class/powercap");

  private static final long IDLE_NANOS = 1_000_000_000;
  private static final double MICRO = 1e-6;

  /** Microjoules of each package when it was last looked at. */
  private final Map<Path, Long> counters = new LinkedHashMap<>();

  private double joules;
  private boolean readable = true;

  private EnergyMeter(List<Path> packages) throws IOException {
    for (Path each : packages) {
      counters.put(each, number(each, "energy_uj"));
    }
  }

  /** Begins to count; empty if nothing may be read there. */
  static Optional<EnergyMeter> open(Path folder) {
    List<Path> packages = new ArrayList<>();
    try (DirectoryStream<Path> zones = Files.newDirectoryStream(folder, "*-rapl:?")) {
      for (Path zone : zones) {
        // Another zone of the same level is the whole platform, which includes the packages.
        if (Files.readString(zone.resolve("name")).startsWith("package")) {
          packages.add(zone);
        }
      }
      return packages.isEmpty() ? Optional.empty() : Optional.of(new EnergyMeter(packages));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static long number(Path zone, String file) throws IOException {
    return Long.parseLong(Files.readString(zone.resolve(file)).strip());
  }

  /** Watts of the machine over a second before anything runs; it then begins to count again. */
  double idleWatts() {
    look();
    joules = 0;
    long began = System.nanoTime();
    LockSupport.parkNanos(IDLE_NANOS);
    look();
    double watts = joules / ((System.nanoTime() - began) / 1e9);
    joules = 0;
    return watts;
  }

  /** Counts what was used since the last look. */
  void look() {
    try {
      for (Map.Entry<Path, Long> counter : counters.entrySet()) {
        long now = number(counter.getKey(), "energy_uj");
        long used = now - counter.getValue();
        if (used < 0) {
          used += number(counter.getKey(), "max_energy_range_uj");
        }
        joules += used * MICRO;
        counter.setValue(now);
      }
    } catch (IOException | NumberFormatException e) {
      readable = false;
    }
  }

  /** Joules since it began; empty if they could not be read at some time. */
  Optional<Double> joules() {
    return readable ? Optional.of(joules) : Optional.empty();
  }
}
