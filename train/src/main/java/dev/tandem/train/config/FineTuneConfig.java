package dev.tandem.train.config;

import java.util.List;

/**
 * How a run begins with what another has learned.
 *
 * @param initFrom a safetensors or ONNX file whose tensors replace the first parameters where name
 *     and shape fit; empty for none
 * @param freeze layers that do not learn, as {@link dev.tandem.nn.spec.LayerNames} reads them
 */
public record FineTuneConfig(String initFrom, List<String> freeze) {

  /** Everything is learned from the beginning. */
  public static final FineTuneConfig NONE = new FineTuneConfig("", List.of());

  public FineTuneConfig {
    freeze = List.copyOf(freeze);
  }
}
