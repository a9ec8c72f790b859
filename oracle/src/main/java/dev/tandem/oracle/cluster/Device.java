package dev.tandem.oracle.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;

/**
 * A device that computes: an accelerator, or the processor of a rank.
 *
 * @param name for messages and tables
 * @param memoryBytes that a model and its activations may take
 * @param flops most operations per second in float32; a multiplication and an addition are two
 * @param halfFlops the same in bfloat16; {@code flops} if it is left out
 * @param memoryBandwidth bytes per second from and to its own memory
 */
public record Device(
    String name,
    @JsonProperty("memory") @JsonDeserialize(using = Quantity.Bytes.class) double memoryBytes,
    @JsonDeserialize(using = Quantity.OperationRate.class) double flops,
    @JsonDeserialize(using = Quantity.OperationRate.class) @Default("0") double halfFlops,
    @JsonDeserialize(using = Quantity.ByteRate.class) double memoryBandwidth) {

  public Device {
    positive("memory", memoryBytes);
    positive("flops", flops);
    positive("memory-bandwidth", memoryBandwidth);
    if (halfFlops < 0) {
      throw new UsageException("half-flops must not be negative");
    }
    halfFlops = halfFlops == 0 ? flops : halfFlops;
  }

  private static void positive(String key, double value) {
    if (!(value > 0)) {
      throw new UsageException(key + " must be more than 0");
    }
  }
}
