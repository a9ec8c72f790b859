package dev.tandem.nn;

import dev.tandem.core.UsageException;
import dev.tandem.nn.engine.InstalledTorch;
import dev.tandem.nn.engine.Libtorch;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Which device a process computes on, with which libtorch, and why; found out by looking at files,
 * before anything is loaded.
 *
 * @param device never {@link Device#AUTO}
 * @param libtorch the folder of an installed libtorch; empty for the one that the build brings
 * @param reason half a sentence for a person
 */
public record DeviceChoice(Device device, Optional<Path> libtorch, String reason) {

  /**
   * The choice for this machine.
   *
   * @param named the folder of the libtorch that the user has named, if any
   * @throws UsageException in one line if a GPU is wanted and there is none, or no libtorch for it
   */
  static DeviceChoice of(Device wanted, Optional<Path> named, InstalledTorch installed) {
    if (wanted.equals(Device.CPU)) {
      return new DeviceChoice(Device.CPU, named, "as asked");
    }
    boolean gpu = installed.seesGpu();
    Optional<Path> libtorch =
        named.isPresent() ? named.filter(Libtorch::computesOnGpus) : installed.cuda();
    if (gpu && libtorch.isPresent()) {
      return new DeviceChoice(
          wanted.equals(Device.AUTO) ? Device.GPUS : wanted,
          libtorch,
          "libtorch in " + libtorch.get());
    }
    String lacking =
        !gpu
            ? "this machine has no GPU of NVIDIA's"
            : named.isPresent()
                ? "the libtorch in %s does not compute on GPUs".formatted(named.get())
                : "no libtorch that computes on GPUs is installed; name the folder of one with"
                    + " TANDEM_LIBTORCH";
    if (wanted.equals(Device.AUTO)) {
      return new DeviceChoice(Device.CPU, named, lacking);
    }
    throw new UsageException("device: %s, but %s".formatted(wanted.name(), lacking));
  }

  /** The same on this machine as it is. */
  static DeviceChoice of(Device wanted, Optional<Path> named) {
    return of(wanted, named, new InstalledTorch(Path.of("/"), System.getenv()));
  }

  /** One line for a person. */
  public String line() {
    return "device: %s (%s)".formatted(device.name(), reason);
  }
}
