package dev.tandem.oracle.search;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.oracle.cluster.Cluster;
import dev.tandem.oracle.cluster.Device;
import dev.tandem.oracle.cluster.Link;
import dev.tandem.oracle.collective.CollectiveSeconds;
import dev.tandem.oracle.profile.LayerSeconds;
import dev.tandem.oracle.projection.Candidate;
import dev.tandem.oracle.projection.Environment;
import dev.tandem.oracle.projection.Phase;
import dev.tandem.oracle.projection.Projection;
import dev.tandem.oracle.projection.Projector;
import dev.tandem.oracle.projection.Term;
import dev.tandem.oracle.projection.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What holds a way to train up, and what would help: the iteration is projected again with each
 * resource a tenth better.
 */
public final class Advice {

  private static final double BETTER = 1.1;

  /**
   * A resource.
   *
   * @param gain share of the iteration's time that is saved if it is a tenth better
   */
  public record Gain(String resource, double gain) {}

  private final Workload workload;
  private final Environment environment;
  private final Set<Term> terms;
  private final Optional<Cluster> cluster;
  private final double congestion;

  /**
   * For one search.
   *
   * @param cluster whose links are looked at one by one, if the environment is one
   */
  public Advice(
      Workload workload,
      Environment environment,
      Set<Term> terms,
      Optional<Cluster> cluster,
      double congestion) {
    this.workload = workload;
    this.environment = environment;
    this.terms = terms;
    this.cluster = cluster;
    this.congestion = congestion;
  }

  /** What takes most of an iteration, for people. */
  public static String bottleneck(Projection projection) {
    Map.Entry<Phase, Double> most =
        projection.seconds().entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
    Phase phase = most.getKey();
    if (phase != Phase.FORWARD && phase != Phase.BACKWARD && phase != Phase.EXCHANGE) {
      return phase.word();
    }
    boolean travels = phase == Phase.EXCHANGE;
    Function<Projection.LayerSpan, Double> share =
        layer -> travels ? layer.exchange() : layer.forward() + layer.backward();
    String layer =
        projection.layers().stream()
            .max(Comparator.comparingDouble(share::apply))
            .map(Projection.LayerSpan::layer)
            .orElse("");
    return "%s, most at %s".formatted(travels ? phase.word() : "compute", layer);
  }

  /** What would help a candidate, the best first. */
  public List<Gain> gains(Candidate candidate) {
    double now = seconds(environment, candidate);
    List<Gain> gains = new ArrayList<>();
    gains.add(
        new Gain("compute rate", 1 - seconds(with(faster(environment.layers())), candidate) / now));
    if (cluster.isEmpty()) {
      gains.add(
          new Gain(
              "communication",
              1 - seconds(with(faster(environment.collectives())), candidate) / now));
    }
    cluster.ifPresent(
        known -> {
          for (int i = 0; i < known.links().size(); i++) {
            Link link = known.links().get(i);
            gains.add(
                new Gain(
                    "bandwidth of link " + link.name(),
                    1 - seconds(with(known, i, link.latencySeconds(), BETTER), candidate) / now));
            gains.add(
                new Gain(
                    "latency of link " + link.name(),
                    1
                        - seconds(with(known, i, link.latencySeconds() / BETTER, 1), candidate)
                            / now));
          }
        });
    gains.sort(Comparator.comparingDouble(Gain::gain).reversed());
    return gains;
  }

  private double seconds(Environment other, Candidate candidate) {
    return new Projector(workload, other, terms).project(candidate).iteration();
  }

  private Environment with(LayerSeconds layers) {
    return new Environment(
        environment.devices(),
        environment.devicesPerNode(),
        environment.memoryBytes(),
        environment.asynchronous(),
        environment.waiting(),
        environment.waitingAtExchanges(),
        environment.stagingBytesPerSecond(),
        layers,
        environment.collectives());
  }

  private Environment with(CollectiveSeconds collectives) {
    return new Environment(
        environment.devices(),
        environment.devicesPerNode(),
        environment.memoryBytes(),
        environment.asynchronous(),
        environment.waiting(),
        environment.waitingAtExchanges(),
        environment.stagingBytesPerSecond(),
        environment.layers(),
        collectives);
  }

  private Environment with(Cluster known, int place, double latency, double wider) {
    List<Link> links = new ArrayList<>(known.links());
    Link link = links.get(place);
    links.set(
        place,
        new Link(
            link.name(),
            link.devices(),
            latency,
            link.bytesPerSecond() * wider,
            link.lanes(),
            link.oversubscription(),
            link.duplex()));
    Device device = known.device();
    Cluster other =
        new Cluster(
            known.name(), known.nodes(), known.devicesPerNode(), device, links, known.staging());
    return Environment.of(other, environment.layers(), terms, congestion);
  }

  private static CollectiveSeconds faster(CollectiveSeconds collectives) {
    return (operation, group, bytes, messages) ->
        collectives.of(operation, group, bytes, messages) / BETTER;
  }

  private static LayerSeconds faster(LayerSeconds layers) {
    return new FasterLayers(layers);
  }

  /** The same layers on a device that is a tenth faster. */
  private record FasterLayers(LayerSeconds layers) implements LayerSeconds {

    private static Passes faster(Passes passes) {
      return new Passes(
          passes.forward() / BETTER,
          passes.backwardData() / BETTER,
          passes.backwardWeights() / BETTER,
          passes.measured(),
          passes.spread());
    }

    @Override
    public Passes of(LayerSpec layer, List<Shape> inputs, long samples) {
      return faster(layers.of(layer, inputs, samples));
    }

    @Override
    public Passes packing(Exchange exchange, long samples, DType activations) {
      return faster(layers.packing(exchange, samples, activations));
    }

    @Override
    public double update(long bytes, int tensors, int stateValues) {
      return layers.update(bytes, tensors, stateValues) / BETTER;
    }

    @Override
    public double copy(long bytes) {
      return layers.copy(bytes) / BETTER;
    }

    @Override
    public double perPass(int count) {
      return layers.perPass(count) / BETTER;
    }
  }
}
