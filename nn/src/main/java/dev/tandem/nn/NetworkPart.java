package dev.tandem.nn;

import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.SampleShare;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a rank's network is of a whole network that is split over ranks.
 *
 * @param whole the network that is split
 * @param regions which region of each parameter and buffer the rank has, by its name in both
 *     networks; those that are not named are whole
 * @param norms where the norms of split parameters and gradients are summed up; empty if nothing is
 *     split
 * @param inputSamples which of the samples of a batch the rank's input has; targets are those of
 *     all
 */
public record NetworkPart(
    NetworkSpec whole,
    Map<String, Region> regions,
    Optional<NormReducer> norms,
    SampleShare inputSamples) {

  /** A part that takes, of each sample, what its input is. */
  public NetworkPart(NetworkSpec whole, Map<String, Region> regions, Optional<NormReducer> norms) {
    this(whole, regions, norms, SampleShare.ALL);
  }

  public NetworkPart {
    regions = Map.copyOf(regions);
  }

  /** All of a network. */
  public static NetworkPart all(NetworkSpec whole) {
    return new NetworkPart(whole, Map.of(), Optional.empty());
  }

  /** Which region of its whole tensor this parameter or buffer of the rank is. */
  public Region region(TensorView tensor) {
    return region(tensor.name(), tensor.shape());
  }

  private Region region(String name, Shape shape) {
    Region region = regions.get(name);
    return region == null ? Region.all(shape) : region;
  }

  /** Refuses a rank's network whose parameters or buffers are not these regions. */
  void check(NetworkSpec local) {
    check(local.parameters(), whole.parameters());
    check(local.buffers(), whole.buffers());
  }

  private void check(List<ParameterSpec> locals, List<ParameterSpec> wholes) {
    Map<String, Shape> shapes = new HashMap<>();
    wholes.forEach(each -> shapes.put(each.name(), each.shape()));
    for (ParameterSpec local : locals) {
      Region region = region(local.name(), local.shape());
      if (!region.local().equals(local.shape())
          || !region.whole().equals(shapes.get(local.name()))) {
        throw new IllegalArgumentException(
            "%s of %s is not a region of %s in the whole network: %s"
                .formatted(local.name(), local.shape(), shapes.get(local.name()), region));
      }
    }
  }
}
