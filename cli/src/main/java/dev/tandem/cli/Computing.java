package dev.tandem.cli;

import dev.tandem.core.TandemException;
import dev.tandem.nn.Device;
import dev.tandem.nn.DeviceChoice;
import dev.tandem.nn.Engine;
import java.util.ArrayList;
import java.util.List;

/** What this machine computes with, for {@code tandem --version -v}. */
final class Computing {

  private Computing() {}

  /** Lines for a person; what is missing is said, too. */
  static List<String> lines() {
    List<String> lines = new ArrayList<>();
    try {
      DeviceChoice choice = Engine.choose(Device.AUTO);
      lines.add("engine " + Engine.version() + " in " + Engine.folder());
      List<String> gpus = Engine.gpus();
      if (gpus.isEmpty()) {
        lines.add("no GPU: " + choice.reason());
      } else {
        lines.addAll(gpus);
        Engine.cudaDriver().ifPresent(driver -> lines.add("driver for CUDA " + driver));
      }
    } catch (TandemException e) {
      lines.add(e.getMessage());
    }
    return lines;
  }
}
