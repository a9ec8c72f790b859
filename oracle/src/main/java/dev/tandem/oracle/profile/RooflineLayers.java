package dev.tandem.oracle.profile;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.oracle.cluster.Device;
import java.util.List;

/**
 * What layers take on a device of which only a description is known: the larger of what its
 * operations take at a share of its peak and what its bytes take at a share of its bandwidth.
 * Nothing is measured; what is printed of it says so. Immutable.
 */
public final class RooflineLayers implements LayerSeconds {

  /** What results are labelled with. */
  public static final String LABEL = "not measured";

  /** Share of the memory's bandwidth that kernels reach. */
  private static final double BANDWIDTH_SHARE = 0.7;

  /** What a kernel takes however small it is. */
  private static final double CALL = 5e-6;

  /** Relative error that layers may well have. */
  private static final double SPREAD = 0.4;

  private final Device device;
  private final DType type;

  /**
   * Layers on a device.
   *
   * @param type of activations
   */
  public RooflineLayers(Device device, DType type) {
    this.device = device;
    this.type = type;
  }

  /** Share of the device's peak that the products of a kind reach. */
  private static double share(String kind) {
    return switch (kind) {
      case "convolution" -> 0.5;
      case "fully-connected" -> 0.6;
      case "self-attention" -> 0.4;
      // Not products: bandwidth is what counts.
      default -> 0.1;
    };
  }

  @Override
  public Passes of(LayerSpec layer, List<Shape> inputs, long samples) {
    if (samples == 0) {
      return Passes.NONE;
    }
    LayerWork work = LayerWork.of(layer, inputs);
    if (work.operations() == 0 && work.parameters() == 0) {
      // A view, or no more than that of it.
      return new Passes(CALL, CALL, 0, false, SPREAD);
    }
    KindFit.Work pass = work.pass(samples, type);
    double peak = type == DType.FLOAT32 ? device.flops() : device.halfFlops();
    double computing = pass.operations() / (peak * share(layer.kind()));
    double moving = pass.bytes() / (device.memoryBandwidth() * BANDWIDTH_SHARE);
    double seconds = CALL + Math.max(computing, moving);
    return new Passes(seconds, seconds, work.parameters() == 0 ? 0 : seconds, false, SPREAD);
  }

  @Override
  public double update(long bytes, int tensors, int stateValues) {
    // The gradient in, the parameter and each number of the state in and out.
    return tensors * CALL
        + (3.0 + 2 * stateValues) * bytes / (device.memoryBandwidth() * BANDWIDTH_SHARE);
  }

  @Override
  public double copy(long bytes) {
    return bytes == 0 ? 0 : CALL + 2.0 * bytes / (device.memoryBandwidth() * BANDWIDTH_SHARE);
  }

  @Override
  public double perPass(int layers) {
    return 10 * CALL;
  }
}
