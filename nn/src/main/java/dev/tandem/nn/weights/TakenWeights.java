package dev.tandem.nn.weights;

import java.util.List;

/**
 * What a network took of some weights.
 *
 * @param taken names of the tensors that were copied
 * @param kept of each tensor of the network that kept its values, one phrase that says why
 * @param unused names of the tensors that the network has no place for
 */
public record TakenWeights(
    String source, List<String> taken, List<String> kept, List<String> unused) {

  private static final int NAMED = 4;

  public TakenWeights {
    taken = List.copyOf(taken);
    kept = List.copyOf(kept);
    unused = List.copyOf(unused);
  }

  /** One line for people; it names the first few of those that were not taken. */
  public String summary() {
    String text =
        "took %d of %d tensors from %s".formatted(taken.size(), taken.size() + kept.size(), source);
    if (!kept.isEmpty()) {
      text += "; left at their initial values: " + named(kept);
    }
    if (!unused.isEmpty()) {
      text += "; not used: " + named(unused);
    }
    return text;
  }

  private static String named(List<String> phrases) {
    String first = String.join(", ", phrases.subList(0, Math.min(NAMED, phrases.size())));
    return phrases.size() <= NAMED
        ? first
        : first + ", and %d more".formatted(phrases.size() - NAMED);
  }
}
