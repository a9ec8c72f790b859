package dev.tandem.nn;

import dev.tandem.nn.engine.ApartMemory;

/** The contract by a device that every machine has. */
class ApartDeviceTest extends DeviceContract {

  private final ApartMemory memory = new ApartMemory();

  @Override
  Engine device() {
    return Engine.on(memory, EngineOptions.of(Device.CPU, 1));
  }
}
