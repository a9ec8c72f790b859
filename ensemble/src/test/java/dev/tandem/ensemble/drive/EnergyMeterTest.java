package dev.tandem.ensemble.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counters as the kernel shows them. */
class EnergyMeterTest {

  @TempDir Path folder;

  private void zone(String zone, String name, long microjoules) throws IOException {
    Path path = Files.createDirectories(folder.resolve(zone));
    Files.writeString(path.resolve("name"), name + "\n");
    Files.writeString(path.resolve("energy_uj"), microjoules + "\n");
    Files.writeString(path.resolve("max_energy_range_uj"), "10000000\n");
  }

  @Test
  void countsPackagesAlsoWhenTheirCountersBeginAgain() throws IOException {
    zone("intel-rapl:0", "package-0", 1_000_000);
    zone("intel-rapl:1", "package-1", 9_000_000);
    zone("intel-rapl:2", "psys", 0);
    EnergyMeter meter = EnergyMeter.open(folder).orElseThrow();
    zone("intel-rapl:0", "package-0", 3_000_000);
    zone("intel-rapl:1", "package-1", 1_000_000);
    zone("intel-rapl:2", "psys", 9_000_000);
    meter.look();
    meter.look();
    assertEquals(4, meter.joules().orElseThrow(), 1e-9);
    Files.delete(folder.resolve("intel-rapl:1/energy_uj"));
    meter.look();
    assertEquals(Optional.empty(), meter.joules());
  }

  @Test
  void nothingIsKnownWhereNothingMayBeRead() throws IOException {
    assertEquals(Optional.empty(), EnergyMeter.open(folder.resolve("none")));
    assertEquals(Optional.empty(), EnergyMeter.open(folder));
    zone("intel-rapl:0", "package-0", 1);
    Files.delete(folder.resolve("intel-rapl:0/energy_uj"));
    assertEquals(Optional.empty(), EnergyMeter.open(folder));
  }
}
