package dev.tandem.train;

import dev.tandem.core.CodeVersion;
import dev.tandem.nn.Engine;
import dev.tandem.train.config.TrainingConfig;
import java.util.Map;

/**
 * What a checkpoint says of where it comes from: the code, the engine and the configuration of its
 * run.
 */
public final class RunProvenance {

  /** The value that is the whole configuration, as YAML. */
  public static final String CONFIGURATION = "configuration";

  private RunProvenance() {}

  static Map<String, String> values(TrainingConfig config) {
    Map<String, String> values = CodeVersion.current().values();
    values.put("engine", Engine.version());
    values.put(CONFIGURATION, config.yaml());
    return values;
  }
}
