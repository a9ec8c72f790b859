package dev.tandem.train.config;

import dev.tandem.core.UsageException;
import dev.tandem.nn.Device;
import dev.tandem.nn.DeviceChoice;
import dev.tandem.nn.Engine;
import dev.tandem.nn.yaml.Default;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What computes and how.
 *
 * @param precision of activations
 * @param device what computes; auto takes a GPU where there is one that can be used
 * @param graph whether a GPU repeats steps from a recording
 * @param threads of the engine in each rank; 0 shares the processors of the machine among the ranks
 *     on it, except at level elastic, where it means 1 whatever the number of ranks
 */
public record ComputeConfig(
    @Default("float32") Precision precision,
    @Default("auto") Device device,
    @Default("0") int threads,
    @Default("auto") Graph graph,
    EngineConfig engine) {

  /** The type in which activations are computed. */
  public enum Precision {
    FLOAT32,
    /** Float32 whose products a GPU may round to 10 bits; only for GPUs. */
    TF32,
    /** With parameters, gradients and losses in float32. */
    BFLOAT16
  }

  /** Whether a GPU repeats steps from a recording. */
  public enum Graph {
    /** Where every step is the same work and nothing waits for parts of it. */
    AUTO,
    NONE
  }

  /**
   * Which engine computes.
   *
   * @param libtorch folder of an installed libtorch, which every host must have; empty for the one
   *     that the build brings
   */
  public record EngineConfig(@Default("") String libtorch) {

    public EngineConfig {
      libtorch = Require.absolute(libtorch);
    }
  }

  public ComputeConfig {
    Require.atLeast("threads", 0, threads);
  }

  /**
   * Makes this process compute with the libtorch that is asked for, on the device that is asked for
   * or found; before the engine is used.
   *
   * @param processorOnly why a GPU cannot do what the configuration wants, if it cannot
   * @throws UsageException if a GPU is asked for that cannot be used
   */
  public DeviceChoice choose(Optional<String> processorOnly) {
    if (!engine.libtorch().isEmpty()) {
      Engine.use(Path.of(engine.libtorch()));
    }
    if (processorOnly.isPresent() && device.gpu()) {
      throw new UsageException("device: %s, but %s".formatted(device.name(), processorOnly.get()));
    }
    DeviceChoice choice = Engine.choose(processorOnly.isPresent() ? Device.CPU : device);
    if (precision == Precision.TF32 && !choice.device().gpu()) {
      throw new UsageException(
          "precision: tf32 is for GPUs, and this is %s: use float32".formatted(choice.line()));
    }
    return processorOnly.isPresent() && device.equals(Device.AUTO)
        ? new DeviceChoice(Device.CPU, choice.libtorch(), processorOnly.get())
        : choice;
  }
}
