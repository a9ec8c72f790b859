package dev.tandem.train;

import dev.tandem.core.UsageException;
import dev.tandem.nn.Device;
import dev.tandem.train.config.ComputeConfig;
import dev.tandem.train.config.ComputeConfig.Precision;
import dev.tandem.train.config.ConfigFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the network of a run computes on when it is trained, wherever that was. */
final class AnsweringDevice {

  private AnsweringDevice() {}

  /**
   * The run's configuration for this machine.
   *
   * @param device as {@link Device} has it; empty for a GPU where there is one if the run was
   *     trained on one, else as in training
   * @throws UsageException if a GPU is asked for that cannot be used
   */
  static ConfigFile of(ConfigFile run, String device) {
    ComputeConfig trained = run.config().compute();
    ConfigFile here = run;
    if (!device.isEmpty() || trained.device().gpu()) { // the one of the training need not be here
      here = here.with("device", device.isEmpty() ? Device.AUTO.name() : device, "--device");
    }
    // How gradients were combined does not matter any more.
    here = here.with(List.of("servers=null", "gradients={}"));
    String libtorch = trained.engine().libtorch();
    if (!libtorch.isEmpty() && !Files.exists(Path.of(libtorch))) {
      here = here.with("engine.libtorch", "");
    }
    if (trained.precision() == Precision.TF32) {
      ConfigFile exact = here.with("precision", "float32");
      return exact.config().chooseDevice().device().gpu() ? here : exact; // no other device has it
    }
    return here;
  }
}
