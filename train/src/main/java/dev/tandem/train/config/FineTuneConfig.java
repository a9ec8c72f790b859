package dev.tandem.train.config;

import dev.tandem.nn.yaml.Default;
import java.util.List;

/**
 * How a run begins with what another has learned.
 *
 * @param initFrom a .safetensors, .npz or .onnx file, a run or a checkpoint, whose tensors replace
 *     the first parameters where name and shape fit; empty for none
 * @param freeze layers that do not learn, as {@link dev.tandem.nn.spec.LayerNames} reads them
 */
public record FineTuneConfig(@Default("") String initFrom, @Default("[]") List<String> freeze) {

  public FineTuneConfig {
    initFrom = Require.absolute(initFrom);
    freeze = List.copyOf(freeze);
  }
}
