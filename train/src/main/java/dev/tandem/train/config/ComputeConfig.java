package dev.tandem.train.config;

import dev.tandem.nn.Device;
import dev.tandem.nn.Engine;
import dev.tandem.nn.yaml.Default;
import java.nio.file.Path;

/**
 * What computes and how.
 *
 * @param precision of activations
 * @param threads of the engine in each rank; 0 shares the processors of the machine among the ranks
 *     on it, except at level elastic, where it means 1 whatever the number of ranks
 */
public record ComputeConfig(
    @Default("float32") Precision precision,
    @Default("cpu") Device device,
    @Default("0") int threads,
    EngineConfig engine) {

  /** The type in which activations are computed. */
  public enum Precision {
    FLOAT32,
    /** With parameters, gradients and losses in float32. */
    BFLOAT16
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

  /** Makes this process compute with the libtorch that is asked for; before the engine is used. */
  public void chooseLibtorch() {
    if (!engine.libtorch().isEmpty()) {
      Engine.use(Path.of(engine.libtorch()));
    }
  }

  /** The engine that is asked for, with this number of threads. */
  public Engine startEngine(int engineThreads) {
    chooseLibtorch();
    return Engine.start(device, engineThreads);
  }
}
