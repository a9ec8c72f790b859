package dev.tandem.oracle.published;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.Models;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.Window;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/** Our networks under the names of the campaign, for samples of its extents. May be shared. */
final class CampaignNetworks {

  /** {@code ImageNet(226)} or {@code CosmoFlow(512^3)}. */
  private static final Pattern EXTENT = Pattern.compile("\\D*\\((\\d{1,4})(\\^3)?\\)");

  private static final int CLASSES = 1000;

  private final Platform platform;
  private final Map<String, NetworkSizes> known = new ConcurrentHashMap<>();

  CampaignNetworks(Platform platform) {
    this.platform = platform;
  }

  Platform platform() {
    return platform;
  }

  /**
   * The sizes of a network.
   *
   * @throws UsageException if we do not have such a network, or the dataset has no extent
   */
  NetworkSizes sizes(String model, String dataset) {
    return known.computeIfAbsent(model + " " + dataset, _ -> make(model, dataset));
  }

  private NetworkSizes make(String model, String dataset) {
    String name = model.toLowerCase(Locale.ROOT).replace("-", "");
    int extent = extent(dataset);
    NetworkSpec network = network(model, name, extent);
    boolean volumes = network.input().extents().size() > 3;
    OptionalDouble serial = platform.serialSeconds(volumes ? name + "-" + extent : name);
    NetworkSizes sizes = NetworkSizes.of(network, platform.cluster().device(), serial.orElse(0));
    return serial.isPresent()
        ? sizes
        : sizes.withSerialSeconds(sizes.serialSeconds() * slowdown(volumes));
  }

  static int extent(String dataset) {
    Matcher matcher = EXTENT.matcher(dataset);
    if (!matcher.matches()) {
      throw new UsageException(
          "dataset '%s' has no extent, expected such as ImageNet(226)".formatted(dataset));
    }
    return Integer.parseInt(matcher.group(1));
  }

  /**
   * A network of the campaign.
   *
   * @param model as the file names it
   */
  static NetworkSpec network(String model, int extent) {
    return network(model, model.toLowerCase(Locale.ROOT).replace("-", ""), extent);
  }

  private static NetworkSpec network(String model, String name, int extent) {
    if (StreamSupport.stream(Models.names().spliterator(), false).noneMatch(name::equals)) {
      throw new UsageException("no network '%s'".formatted(model));
    }
    ObjectNode arguments = JsonNodeFactory.instance.objectNode();
    if (name.equals("cosmoflow")) {
      return Models.named(name, arguments.put("extent", extent));
    }
    NetworkSpec network = Models.named(name, arguments.put("classes", CLASSES));
    long channels = network.input().extents().getFirst();
    return new NetworkSpec(
        Shape.of(channels, extent, extent),
        network.nodes().stream().map(CampaignNetworks::chainer).toList(),
        network.outputs(),
        network.loss());
  }

  /** Chainer's maxima that make images smaller cover the last rows and columns, and pad nothing. */
  private static NetworkSpec.Node chainer(NetworkSpec.Node node) {
    if (!(node.layer() instanceof MaxPool(String name, Window window, _))
        || window.stride().getFirst() == 1) {
      return node;
    }
    return new NetworkSpec.Node(new MaxPool(name, window.withPadding(0), true), node.inputs());
  }

  /** How many times longer than their roofline the networks take whose serial time is known. */
  private double slowdown(boolean volumes) {
    double logarithms = 0;
    int count = 0;
    for (String profiled : platform.profiled()) {
      List<String> parts = List.of(profiled.split("-", 2));
      if (parts.size() > 1 != volumes) {
        continue;
      }
      int extent = volumes ? Integer.parseInt(parts.getLast()) : 226;
      NetworkSpec network = network(profiled, parts.getFirst(), extent);
      double roofline = NetworkSizes.of(network, platform.cluster().device(), 0).serialSeconds();
      logarithms += Math.log(platform.serialSeconds(profiled).getAsDouble() / roofline);
      count++;
    }
    return Math.exp(logarithms / count);
  }
}
