package dev.tandem.parallel;

import dev.tandem.core.Region;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.parallel.mesh.Mode;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What one rank computes of a network.
 *
 * @param whole the network that is split
 * @param spec the rank's network: its layers with local extents, and exchanges between them
 * @param input which region of each sample the rank's input is
 * @param inputSamples which of its data group's samples the rank's input has
 * @param regions which region of each parameter and buffer of the rank is held, by name: all that
 *     the local network has; names are those of the whole network
 * @param sums for each parameter the inner axes over which its gradients are summed, besides {@code
 *     data}: those along which its layer has other samples or another part of space
 * @param statistics for each batch normalisation, and each group normalisation whose groups are
 *     split, the inner axes over which its sums are taken; layers without any are not in it. The
 *     layers of {@code spec} take these sums by themselves, over the transfer that they name
 * @param copies for each parameter and buffer the inner axes along which ranks hold the same bits
 *     of it; norms count them once
 * @param tensors what the output of each layer of {@code spec} is of the whole network's
 * @param modes what each layer of the whole network does along each inner axis
 * @param notes what a user should know: layers that fell back, and why
 */
public record LocalNetwork(
    NetworkSpec whole,
    NetworkSpec spec,
    Region input,
    SampleShare inputSamples,
    Map<String, Region> regions,
    Map<String, Set<String>> sums,
    Map<String, Set<String>> statistics,
    Map<String, Set<String>> copies,
    Map<String, LocalTensor> tensors,
    Map<String, Map<String, Mode>> modes,
    List<String> notes) {

  /**
   * What a rank has of the output of a layer.
   *
   * @param origin the layer of the whole network
   * @param region of each sample
   * @param samples of its group
   * @param summand whether the output of the whole network is the sum over ranks
   * @param margins whether neighbours have some of it, too, or some of it means nothing
   */
  public record LocalTensor(
      String origin, Region region, SampleShare samples, boolean summand, boolean margins) {}

  public LocalNetwork {
    regions = Map.copyOf(regions);
    sums = Map.copyOf(sums);
    statistics = Map.copyOf(statistics);
    copies = Map.copyOf(copies);
    tensors = Map.copyOf(tensors);
    modes = Collections.unmodifiableMap(new LinkedHashMap<>(modes));
    notes = List.copyOf(notes);
  }

  /** A network that is not split within layers: the rank computes all of each. */
  public static LocalNetwork undivided(NetworkSpec network) {
    Map<String, Region> regions = new HashMap<>();
    Stream.concat(network.parameters().stream(), network.buffers().stream())
        .forEach(tensor -> regions.put(tensor.name(), Region.all(tensor.shape())));
    return new LocalNetwork(
        network,
        network,
        Region.all(network.input()),
        SampleShare.ALL,
        regions,
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of(),
        List.of());
  }
}
