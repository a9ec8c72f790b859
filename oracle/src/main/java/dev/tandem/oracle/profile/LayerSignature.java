package dev.tandem.oracle.profile;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerSpec;
import java.util.List;
import java.util.Optional;

/**
 * What the time of a layer depends on besides the number of samples: its kind, its settings and the
 * shapes of its inputs, but not its name or which ranks share its statistics. Layers with the same
 * signature are measured once.
 *
 * @param text one line
 */
public record LayerSignature(String text) {

  /** The signature of a layer. */
  public static LayerSignature of(LayerSpec layer, List<Shape> inputs) {
    LayerSpec alone =
        switch (layer) {
          case BatchNorm norm ->
              new BatchNorm(norm.name(), norm.momentum(), norm.epsilon(), Optional.empty());
          case GroupNorm norm -> new GroupNorm(norm.name(), norm.groups(), norm.epsilon());
          default -> layer;
        };
    String settings = alone.toString();
    settings = settings.substring(settings.indexOf('[') + 1, settings.length() - 1);
    String named = "name=" + alone.name();
    settings = settings.substring(Math.min(settings.length(), named.length()));
    return new LayerSignature(layer.kind() + settings + " of " + inputs);
  }
}
