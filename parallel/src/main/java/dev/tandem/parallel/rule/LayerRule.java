package dev.tandem.parallel.rule;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.parallel.mesh.Cut;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.mesh.Way;
import dev.tandem.parallel.rule.Placement.Need;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** From a layer and how its inputs come to what it does along an axis. */
public final class LayerRule {

  private LayerRule() {}

  /** What the layer does; with a reason where that is not what was asked for. */
  public static Placement of(Site site) {
    return switch (site.layer()) {
      case Convolution layer -> WeightRules.convolution(site, layer);
      case FullyConnected _ -> WeightRules.fullyConnected(site);
      case SelfAttention layer -> WeightRules.attention(site, layer);
      case MaxPool layer -> WindowRules.pool(site, layer.window(), Double.NEGATIVE_INFINITY);
      case AveragePool layer -> WindowRules.pool(site, layer.window(), 0);
      case LocalResponseNorm layer -> WindowRules.response(site, layer);
      case GlobalPool layer ->
          switch (layer.of()) {
            case AVERAGE -> mean(site);
            case MAX -> featuresOnly(site);
          };
      case TokenMean _ -> mean(site);
      case Activation _, BatchNorm _, Dropout _, Positions _ -> local(site);
      case LayerNorm _ -> normalisedTokens(site);
      case GroupNorm layer -> groups(site, layer);
      case Flatten _ -> flat(site);
      case Tokens _ -> tokens(site);
      case Add _ -> sum(site);
      case Concatenation _ -> joined(site);
      case Exchange _ -> throw new IllegalArgumentException("a network that is split already");
    };
  }

  private static Placement local(Site site) {
    Way way = site.wanted();
    return Placement.local(site.modeOf(way), 1, way);
  }

  /** Means of parts are added up, each in proportion to its size. */
  private static Placement mean(Site site) {
    Way way = site.wanted();
    if (way instanceof Way.Split split) {
      if (!site.isFeatures(split)) {
        double whole = split.cut().whole();
        List<Double> shares =
            split.cut().parts().stream().map(part -> part.extent() / whole).toList();
        return new Placement(
            Mode.SPACE,
            List.of(new Need(way, false)),
            new Way.Sum(shares),
            Way.SUM,
            0,
            Optional.empty());
      }
      return Placement.of(Mode.FOLLOW, 1, way, new Way.Split(0, split.cut()));
    }
    return Placement.local(site.modeOf(way), 1, way);
  }

  /** A maximum over space needs all of it: of equal ones the first place counts. */
  private static Placement featuresOnly(Site site) {
    Way way = site.wanted();
    return way instanceof Way.Split split && !site.isFeatures(split)
        ? Placement.whole(1)
        : Placement.local(site.modeOf(way), 1, way);
  }

  private static Placement normalisedTokens(Site site) {
    Way way = site.wanted();
    return way instanceof Way.Split split && site.isFeatures(split)
        ? Placement.whole(1)
        : Placement.local(site.modeOf(way), 1, way);
  }

  private static Placement groups(Site site, GroupNorm norm) {
    Way way = site.wanted();
    if (way instanceof Way.Split split && site.isFeatures(split)) {
      long channels = site.input().extents().getFirst() / norm.groups();
      Cut cut = Cut.aligned(norm.groups(), channels, site.size());
      return cut.reachesAll()
          ? Placement.local(Mode.FOLLOW, 1, new Way.Split(0, cut))
          : Placement.whole(1)
              .because(
                  site.message("%d groups for %d ranks".formatted(norm.groups(), site.size())),
                  "use at most " + norm.groups());
    }
    return Placement.local(site.modeOf(way), 1, way);
  }

  private static Placement flat(Site site) {
    Way way = site.wanted();
    if (way instanceof Way.Split split) {
      // Rows of all channels: only where asked for, since a layer that follows has them scattered.
      if (!site.isFeatures(split) && site.mode() != Mode.CHANNEL) {
        return Placement.whole(1);
      }
      Cut cut = flattened(split, site.input().extents());
      return Placement.of(site.modeOf(way), 1, way, new Way.Split(0, cut));
    }
    return Placement.local(site.modeOf(way), 1, way);
  }

  private static Placement tokens(Site site) {
    Way way = site.wanted();
    if (way instanceof Way.Split split) {
      Way output =
          site.isFeatures(split)
              ? new Way.Split(1, split.cut())
              : new Way.Split(
                  0,
                  flattened(
                      new Way.Split(split.dimension() - 1, split.cut()),
                      site.input().extents().subList(1, site.input().extents().size())));
      return Placement.of(site.modeOf(way), 1, way, output);
    }
    return Placement.local(site.modeOf(way), 1, way);
  }

  private static Cut flattened(Way.Split split, List<Long> extents) {
    return split
        .cut()
        .flattened(
            new Shape(extents.subList(0, split.dimension())).elements(),
            new Shape(extents.subList(split.dimension() + 1, extents.size())).elements());
  }

  /** All inputs come as the first that is no sum; sums alone stay one. */
  private static Placement sum(Site site) {
    int inputs = site.ways().size();
    if (site.mode() != Mode.WHOLE
        && site.mode() != Mode.SAMPLES
        && site.ways().stream().allMatch(Way.SUM::equals)) {
      return Placement.of(Mode.FOLLOW, inputs, Way.SUM, Way.SUM);
    }
    Way way = firstComplete(site);
    return Placement.local(site.modeOf(way), inputs, way);
  }

  private static Way firstComplete(Site site) {
    Way first =
        site.ways().stream().filter(way -> !(way instanceof Way.Sum)).findFirst().orElse(Way.WHOLE);
    List<Way> same = site.ways().stream().map(_ -> first).toList();
    return new Site(site.layer(), site.inputs(), site.output(), site.axis(), site.mode(), same)
        .wanted();
  }

  /** Inputs are put one after the other in their first dimension. */
  private static Placement joined(Site site) {
    List<Cut> cuts = new ArrayList<>();
    for (Way way : site.ways()) {
      if (way instanceof Way.Split(int dimension, Cut cut) && dimension == 0) {
        cuts.add(cut);
      }
    }
    boolean takes = site.mode() != Mode.WHOLE && site.mode() != Mode.SAMPLES;
    if (takes && cuts.size() == site.ways().size()) {
      Way output = new Way.Split(0, Cut.joined(cuts));
      return new Placement(
          site.modeOf(site.way()),
          site.ways().stream().map(way -> new Need(way, false)).toList(),
          output,
          output,
          0,
          Optional.empty());
    }
    Way way =
        site.ways().stream()
            .filter(each -> !(each instanceof Way.Split split && split.dimension() == 0))
            .filter(each -> !(each instanceof Way.Sum))
            .findFirst()
            .orElse(Way.WHOLE);
    List<Way> same = site.ways().stream().map(_ -> way).toList();
    Way wanted =
        new Site(site.layer(), site.inputs(), site.output(), site.axis(), site.mode(), same)
            .wanted();
    return Placement.local(site.modeOf(wanted), site.ways().size(), wanted);
  }
}
