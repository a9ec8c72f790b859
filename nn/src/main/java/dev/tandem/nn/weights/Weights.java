package dev.tandem.nn.weights;

import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Network;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
   * network has no place for are left alone.
   *
   * @return what was taken and what not
   * @throws UsageException if a tensor does not fit and that is refused, or if none fits; then the
   *     network is as before
   */
  public TakenWeights into(Network network, Unfit unfit) {
    List<TensorView> fitting = new ArrayList<>();
    List<String> kept = new ArrayList<>();
    for (TensorView place : all(network)) {
      TensorView tensor = tensors.get(place.name());
      if (tensor != null && tensor.shape().equals(place.shape())) {
        fitting.add(place);
      } else {
        kept.add(
            tensor == null
                ? "%s %s is not there".formatted(place.name(), place.shape())
                : "%s is %s there, %s in the network"
                    .formatted(place.name(), tensor.shape(), place.shape()));
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
    for (TensorView place : fitting) {
      Elements.copy(tensors.get(place.name()), place);
      taken.add(place.name());
    }
    List<String> unused = new ArrayList<>(tensors.keySet());
    unused.removeAll(taken);
    return new TakenWeights(source, taken, kept, unused);
  }

  private static List<TensorView> all(Network network) {
    List<TensorView> all = new ArrayList<>(network.parameters());
    all.addAll(network.buffers());
    return all;
  }
}
