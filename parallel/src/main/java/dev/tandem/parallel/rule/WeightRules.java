package dev.tandem.parallel.rule;

import dev.tandem.core.Ranges;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.parallel.mesh.Cut;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.mesh.Way;
import java.util.ArrayList;
import java.util.List;

/** Layers whose weights can be split: convolutions, fully connected layers, attention. */
final class WeightRules {

  private WeightRules() {}

  static Placement convolution(Site site, Convolution convolution) {
    Mode mode = resolved(site);
    if (convolution.groups() > 1 && (mode == Mode.FILTER || mode == Mode.CHANNEL)) {
      return groups(site, convolution);
    }
    return switch (mode) {
      case FILTER -> filter(site, "filters");
      case CHANNEL -> channel(site);
      case WHOLE -> Placement.whole(1);
      case SAMPLES -> Placement.local(Mode.SAMPLES, 1, Way.SAMPLES);
      case SPACE ->
          site.in(Mode.SPACE).wanted() instanceof Way.Split split && !site.isFeatures(split)
              ? WindowRules.space(site, split.dimension(), convolution.window())
              : tooFewRows(site);
      case FOLLOW -> convolution.groups() > 1 ? groups(site, convolution) : Placement.whole(1);
      case ALTERNATE -> throw new IllegalStateException("unresolved");
    };
  }

  private static Placement tooFewRows(Site site) {
    return Placement.whole(1)
        .because(
            site.message(
                "too few rows for %d ranks along %s".formatted(site.size(), site.axis().name())),
            "aggregate before it");
  }

  static Placement fullyConnected(Site site) {
    return switch (resolved(site)) {
      case FILTER -> filter(site, "outputs");
      case CHANNEL -> channel(site);
      case WHOLE -> Placement.whole(1);
      case SAMPLES -> Placement.local(Mode.SAMPLES, 1, Way.SAMPLES);
      // Tokens are places: each has the same weights.
      case SPACE ->
          site.way() instanceof Way.Split split && !site.isFeatures(split)
              ? Placement.local(Mode.SPACE, 1, site.way())
              : Placement.whole(1);
      case FOLLOW -> Placement.whole(1);
      case ALTERNATE -> throw new IllegalStateException("unresolved");
    };
  }

  static Placement attention(Site site, SelfAttention attention) {
    return switch (resolved(site)) {
      case FILTER, CHANNEL -> {
        if (attention.heads() < site.size()) {
          yield Placement.whole(1)
              .because(
                  site.message("%d heads for %d ranks".formatted(attention.heads(), site.size())),
                  "use at most " + attention.heads());
        }
        yield Placement.of(Mode.FILTER, 1, Way.WHOLE, Way.SUM).summing();
      }
      case SAMPLES -> Placement.local(Mode.SAMPLES, 1, Way.SAMPLES);
      // Every token looks at every other one.
      case WHOLE, SPACE, FOLLOW -> Placement.whole(1);
      case ALTERNATE -> throw new IllegalStateException("unresolved");
    };
  }

  /** The heads that the ranks along an axis have. */
  static Cut heads(SelfAttention attention, int size) {
    return Cut.even(attention.heads(), size);
  }

  /** The mode with FOLLOW and ALTERNATE decided by how the input comes. */
  private static Mode resolved(Site site) {
    boolean features = site.way() instanceof Way.Split split && site.isFeatures(split);
    return switch (site.mode()) {
      case ALTERNATE -> features ? Mode.CHANNEL : Mode.FILTER;
      case FOLLOW ->
          switch (site.way()) {
            case Way.Whole _ -> Mode.WHOLE;
            case Way.Samples _ -> Mode.SAMPLES;
            case Way.Split _ -> features ? Mode.FOLLOW : Mode.SPACE;
            case Way.Sum _ -> throw new IllegalStateException("a sum");
          };
      case WHOLE, SAMPLES, SPACE, FILTER, CHANNEL -> site.mode();
    };
  }

  private static Placement filter(Site site, String what) {
    int features = Site.features(site.output());
    Cut cut = Cut.even(site.output().extents().get(features), site.size());
    if (!cut.reachesAll()) {
      return Placement.whole(1)
          .because(
              site.message(
                  "%d %s cannot be cut for %d ranks".formatted(cut.whole(), what, site.size())),
              "use at most " + cut.whole());
    }
    return Placement.of(Mode.FILTER, 1, Way.WHOLE, new Way.Split(features, cut)).summing();
  }

  private static Placement channel(Site site) {
    int features = Site.features(site.input());
    if (site.way() instanceof Way.Split split && site.isFeatures(split)) {
      return Placement.of(Mode.CHANNEL, 1, split, Way.SUM);
    }
    Cut cut = Cut.even(site.input().extents().get(features), site.size());
    if (!cut.reachesAll()) {
      return Placement.whole(1)
          .because(
              site.message(
                  "%d channels cannot be cut for %d ranks".formatted(cut.whole(), site.size())),
              "use at most " + cut.whole());
    }
    return Placement.of(Mode.CHANNEL, 1, new Way.Split(features, cut), Way.SUM);
  }

  /** Groups see channels of their own: cut between them nothing travels. */
  private static Placement groups(Site site, Convolution convolution) {
    int groups = convolution.groups();
    int size = site.size();
    long channels = site.input().extents().getFirst() / groups;
    long filters = convolution.filters() / groups;
    if (groups >= size) {
      return Placement.of(
          Mode.FOLLOW,
          1,
          new Way.Split(0, Cut.aligned(groups, channels, size)),
          new Way.Split(0, Cut.aligned(groups, filters, size)));
    }
    if (size % groups == 0 && filters >= size / groups) {
      int each = size / groups;
      Cut within = Cut.even(filters, each);
      List<Ranges> inputs = new ArrayList<>();
      List<Ranges> outputs = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        int group = rank / each;
        inputs.add(Ranges.of(channels * groups, channels * group, channels * (group + 1)));
        outputs.add(within.parts().get(rank % each).within(filters * groups, filters * group));
      }
      return Placement.of(
          Mode.FILTER, 1, new Way.Split(0, new Cut(inputs)), new Way.Split(0, new Cut(outputs)));
    }
    return Placement.whole(1)
        .because(
            site.message(
                "%d ranks cut neither its %d groups nor the filters of a group evenly"
                    .formatted(size, groups)),
            "use at most " + groups);
  }
}
