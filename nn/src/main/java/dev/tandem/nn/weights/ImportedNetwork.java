package dev.tandem.nn.weights;

import dev.tandem.nn.spec.NetworkSpec;
import java.util.List;
import java.util.Set;

/**
 * A network from a file.
 *
 * @param weights all parameters and buffers of the network, or none if the file has only the graph
 * @param notes what the user should know of the way it was read, one line each
 * @param folded convolutions into which whoever wrote the file has folded the batch normalisation
 *     after them, as is done for inference
 */
public record ImportedNetwork(
    NetworkSpec spec, Weights weights, List<String> notes, Set<String> folded) {

  public ImportedNetwork {
    notes = List.copyOf(notes);
    folded = Set.copyOf(folded);
  }
}
