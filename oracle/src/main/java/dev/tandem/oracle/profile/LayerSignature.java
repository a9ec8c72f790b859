package dev.tandem.oracle.profile;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * What the time of a layer depends on besides the number of samples: its kind, its settings and the
 * shapes of its inputs, and whether it takes sums over ranks, but not its name or which ranks.
 * Layers with the same signature are measured once.
 *
 * @param text one line
 */
public record LayerSignature(String text) {

  /** Of normalisations that take sums over ranks: other kernels than those of one alone. */
  private static final String TOGETHER = ", over ranks";

  /** The signature of an exchange: all of what goes where, but not its name. */
  public static LayerSignature of(Exchange exchange) {
    String movements = exchange.forward() + " " + exchange.backward();
    CRC32C sum = new CRC32C();
    sum.update(movements.getBytes(StandardCharsets.UTF_8));
    return new LayerSignature(
        "exchange %s %s rank %d of %d, %s, movements %08x"
            .formatted(
                exchange.forward().collective(),
                exchange.role(),
                exchange.transfer().rank(),
                exchange.transfer().size(),
                exchange.shape(),
                sum.getValue()));
  }

  /** The signature of a layer that is no exchange. */
  public static LayerSignature of(LayerSpec layer, List<Shape> inputs) {
    String together = "";
    LayerSpec alone = layer;
    if (layer instanceof BatchNorm norm) {
      alone = new BatchNorm(norm.name(), norm.momentum(), norm.epsilon(), Optional.empty());
      together = norm.ranks().isPresent() ? TOGETHER : "";
    } else if (layer instanceof GroupNorm norm) {
      alone = new GroupNorm(norm.name(), norm.groups(), norm.epsilon());
      together = norm.ranks().isPresent() ? TOGETHER : "";
    }
    String settings = alone.toString();
    settings = settings.substring(settings.indexOf('[') + 1, settings.length() - 1);
    String named = "name=" + alone.name();
    settings = settings.substring(Math.min(settings.length(), named.length()));
    return new LayerSignature(layer.kind() + settings + together + " of " + inputs);
  }
}
