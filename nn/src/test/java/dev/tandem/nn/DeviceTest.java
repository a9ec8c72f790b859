package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import org.junit.jupiter.api.Test;

class DeviceTest {

  @Test
  void whatIsMissingForAGpuIsSaid() {
    assertEquals(Device.CPU, Engine.start(new Device("cpu"), 1).device());
    var e = assertThrows(UsageException.class, () -> new Device("cuda:1"));
    assertTrue(e.getMessage().endsWith("expected cpu"), e.getMessage());
    assertEquals(1, e.getMessage().lines().count());
    var unknown = assertThrows(UsageException.class, () -> new Device("tpu"));
    assertEquals("unknown device 'tpu', expected cpu or cuda:N", unknown.getMessage());
  }
}
