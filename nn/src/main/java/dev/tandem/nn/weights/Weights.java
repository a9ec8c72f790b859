package dev.tandem.nn.weights;

import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Network;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Tensors by name: the parameters and buffers of a network, or what a file has of them.
 *
 * @param source where they come from, for messages
 * @param tensors by name, in the source's order; views of memory that the source owns
 */
public record Weights(String source, Map<String, TensorView> tensors) {

  /** What happens to tensors of a network that a file has not, or has in another shape. */
  public enum Unfit {
    /** They are a mistake: nothing is taken. */
    REFUSED,
    /** They keep the values that they have, as a new classifier for other classes does. */
    KEPT
  }

  public Weights {
    tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
  }

  /** These tensors under their own names. */
  public static Weights of(String source, Collection<TensorView> tensors) {
    Map<String, TensorView> byName = new LinkedHashMap<>();
    for (TensorView tensor : tensors) {
      if (byName.put(tensor.name(), tensor) != null) {
        throw new UsageException(source + " has two tensors named " + tensor.name());
      }
    }
    return new Weights(source, byName);
  }

  /** The parameters and buffers of a network: its live memory. */
  public static Weights of(Network network) {
    return of("the network", all(network));
  }

  /**
   * Copies into a network what fits by name and shape; types are converted. Tensors that the
   * network has no place for are left alone. A network that is a part of a split one takes its
   * regions of the tensors of a whole one.
   *
   * @return what was taken and what not
   * @throws UsageException if a tensor does not fit and that is refused, or if none fits; then the
   *     network is as before
   */
  public TakenWeights into(Network network, Unfit unfit) {
    Map<String, Region> regions = regions(network);
    List<TensorView> fitting = new ArrayList<>();
    List<String> kept = new ArrayList<>();
    for (TensorView place : all(network)) {
      Shape shape = regions.get(place.name()).whole();
      TensorView tensor = tensors.get(place.name());
      if (tensor != null && tensor.shape().equals(shape)) {
        fitting.add(place);
      } else {
        kept.add(
            tensor == null
                ? "%s %s is not there".formatted(place.name(), shape)
                : "%s is %s there, %s in the network"
                    .formatted(place.name(), tensor.shape(), shape));
      }
    }
    if (!kept.isEmpty() && (unfit == Unfit.REFUSED || fitting.isEmpty())) {
      throw new UsageException(
          "%s does not fit the network: %s%s"
              .formatted(
                  source,
                  kept.getFirst(),
                  kept.size() == 1 ? "" : ", and %d more".formatted(kept.size() - 1)));
    }
    List<String> taken = new ArrayList<>();
    network.download(); // what is not taken stays
    for (TensorView place : fitting) {
      Elements.copy(tensors.get(place.name()), regions.get(place.name()), place);
      taken.add(place.name());
    }
    network.upload();
    List<String> unused = new ArrayList<>(tensors.keySet());
    unused.removeAll(taken);
    // What other ranks of a split network take.
    NetworkSpec whole = network.part().whole();
    Stream.concat(whole.parameters().stream(), whole.buffers().stream())
        .filter(parameter -> !regions.containsKey(parameter.name()))
        .forEach(parameter -> unused.remove(parameter.name()));
    return new TakenWeights(source, taken, kept, unused);
  }

  /** What the tensors of a network are of those of a whole one. */
  private static Map<String, Region> regions(Network network) {
    Map<String, Region> regions = new HashMap<>();
    List<Region> kept = network.keptRegions();
    for (int i = 0; i < kept.size(); i++) {
      regions.put(network.parameters().get(i).name(), kept.get(i));
    }
    for (TensorView buffer : network.buffers()) {
      regions.put(buffer.name(), network.part().region(buffer));
    }
    return regions;
  }

  private static List<TensorView> all(Network network) {
    List<TensorView> all = new ArrayList<>(network.parameters());
    all.addAll(network.buffers());
    return all;
  }
}
