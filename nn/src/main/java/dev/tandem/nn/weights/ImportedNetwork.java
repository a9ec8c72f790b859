package dev.tandem.nn.weights;

import dev.tandem.nn.spec.NetworkSpec;
import java.util.List;

/**
 * A network from a file.
 *
 * @param weights all parameters and buffers of the network, or none if the file has only the graph
 * @param notes what the user should know of the way it was read, one line each
 */
public record ImportedNetwork(NetworkSpec spec, Weights weights, List<String> notes) {

  public ImportedNetwork {
    notes = List.copyOf(notes);
  }
}
