package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.UsageException;
import org.junit.jupiter.api.Test;

class LocalCapacityTest {

  @Test
  void processorsAndMemoryBothLimit() {
    LocalCapacity small = new LocalCapacity(2, 24L << 30);
    assertDoesNotThrow(() -> small.check(128));
    UsageException refused = assertThrows(UsageException.class, () -> small.check(4_096));
    assertEquals(
        "this machine supports at most 128 processes (2 cores, 24.0 GiB), not 4,096",
        refused.getMessage());
    LocalCapacity tight = new LocalCapacity(64, 1L << 30);
    assertDoesNotThrow(() -> tight.check(16));
    assertThrows(UsageException.class, () -> tight.check(17));
  }

  @Test
  void oneRankAlwaysFits() {
    assertDoesNotThrow(() -> new LocalCapacity(1, 1 << 20).check(1));
  }
}
