package dev.tandem.oracle.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyncParameterFileTest {

  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("own.properties"), text);
  }

  @Test
  void aFileReplacesSingleNumbers() throws IOException {
    SyncParameters own = SyncParameterFile.read(file("cluster.cycleMillis = 1"));
    SyncParameters builtIn = SyncParameterFile.builtIn();
    assertEquals(1, own.cluster().protocol().cycleMillis());
    assertEquals(builtIn.noise(), own.noise());
    assertEquals(builtIn.networks(), own.networks());
    assertEquals(9, own.networks().size());
  }

  @Test
  void mistakesAreNamed() throws IOException {
    assertMistake("cluster.cycles = 1", "unknown key cluster.cycles");
    assertMistake("cluster.cycleMillis = soon", "cluster.cycleMillis = soon");
    assertMistake("cluster.cycleMillis = 0", "cluster.cycleMillis 0.0: must be above 0");
    assertMistake("cluster.engineCores = -1", "cluster.engineCores -1: must be at least 0");
    assertMistake("cluster.engineCores = 6", "cluster.cores 7: must be at least 2 more");
    assertMistake("noise.heldShare = 2", "held shares must lie between 0 and 1");
    assertMistake("network.10.name = Own", "network.10.parameters is missing");
    UsageException missing =
        assertThrows(UsageException.class, () -> SyncParameterFile.read(folder.resolve("missing")));
    assertTrue(missing.getMessage().contains("missing"));
  }

  private void assertMistake(String text, String message) throws IOException {
    Path file = file(text);
    UsageException mistake = assertThrows(UsageException.class, () -> SyncParameterFile.read(file));
    assertTrue(mistake.getMessage().contains(message), mistake.getMessage());
    assertTrue(mistake.getMessage().contains(file.toString()), mistake.getMessage());
  }
}
