package dev.tandem.cli;

import dev.tandem.nn.Device;
import picocli.CommandLine.Option;

/** What computes the answers of a network that is trained. */
final class DeviceOption {

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      description =
          "What computes: cpu, cuda, cuda:N, or auto for a GPU where there is one. Default: auto"
              + " for runs trained on a GPU, and what the others were trained on")
  private String device;

  /** Empty for the default. */
  String word() {
    return device == null ? "" : new Device(device).name();
  }
}
