package dev.tandem.comm.launch;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.UsageException;
import org.junit.jupiter.api.Test;

class LocalRoomTest {

  @Test
  void processorsAndMemoryBothLimit() {
    LocalRoom small = new LocalRoom(2, 24L << 30);
    assertDoesNotThrow(() -> small.check(128));
    UsageException refused = assertThrows(UsageException.class, () -> small.check(4_096));
    assertEquals(
        "4,096 processes are too many for this machine: its 2 processors and 24.0 GiB bear 128",
        refused.getMessage());
    LocalRoom tight = new LocalRoom(64, 1L << 30);
    assertDoesNotThrow(() -> tight.check(16));
    assertThrows(UsageException.class, () -> tight.check(17));
  }

  @Test
  void oneRankAlwaysFits() {
    assertDoesNotThrow(() -> new LocalRoom(1, 1 << 20).check(1));
  }
}
