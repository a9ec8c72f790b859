package dev.tandem.parallel.rule;

import dev.tandem.core.Ranges;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.Window;
import dev.tandem.parallel.mesh.Cut;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.mesh.Way;
import dev.tandem.parallel.rule.Placement.Need;
import dev.tandem.parallel.rule.Space.Slide;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Layers that look at neighbours: convolutions over split space, pools, response normalisation. */
final class WindowRules {

  private WindowRules() {}

  /** A pool. */
  static Placement pool(Site site, Window window, double fill) {
    Way way = site.wanted();
    if (way instanceof Way.Split split && !site.isFeatures(split)) {
      return space(site, split.dimension(), window).filledWith(fill);
    }
    return Placement.local(site.modeOf(way), 1, way);
  }

  /** A window over space that is split in this dimension: each rank makes a part of the output. */
  static Placement space(Site site, int dimension, Window window) {
    long input = site.input().extents().get(dimension);
    Cut output = Cut.even(site.output().extents().get(dimension), site.size());
    if (!output.reachesAll() || input < site.size()) {
      return Placement.whole(1)
          .because(
              site.message(
                  "%d rows for %d ranks along %s"
                      .formatted(Math.min(input, output.whole()), site.size(), site.axis().name())),
              "aggregate before it");
    }
    Slide slide = slide(window, site, dimension);
    Cut produced = output;
    Cut blocks = Space.blocks(output, input, slide);
    if (site.layer() instanceof AveragePool pool && pool.ceil()) {
      produced = wideEnough(output, input, slide);
      blocks = clipped(produced, input, slide);
    }
    return new Placement(
        Mode.SPACE,
        List.of(new Need(new Way.Split(dimension, blocks), false)),
        new Way.Split(dimension, produced),
        new Way.Split(dimension, output),
        0,
        Optional.empty());
  }

  private static Slide slide(Window window, Site site, int dimension) {
    Window all = window.over(site.input().extents().size() - 1);
    return new Slide(
        all.kernel().get(dimension - 1),
        all.stride().get(dimension - 1),
        all.padding().get(dimension - 1),
        all.dilation().get(dimension - 1));
  }

  /** A mean divides by what lies within the padded input, so a block ends there. */
  private static Cut clipped(Cut output, long input, Slide slide) {
    List<Ranges> blocks = new ArrayList<>();
    for (Ranges part : output.parts()) {
      Ranges.Run run = part.runs().getFirst();
      long end = Math.min(slide.end(run.to() - 1), input + slide.padding());
      blocks.add(Space.block(slide.first(run.from()), end, input));
    }
    return new Cut(blocks);
  }

  /** A part that is one window which sticks out would be shorter than the window: one more. */
  private static Cut wideEnough(Cut output, long input, Slide slide) {
    List<Ranges> parts = new ArrayList<>();
    for (Ranges part : output.parts()) {
      Ranges.Run run = part.runs().getFirst();
      long end = Math.min(slide.end(run.to() - 1), input + slide.padding());
      boolean narrow = end - slide.first(run.from()) < slide.kernel() && run.from() > 0;
      parts.add(Ranges.of(output.whole(), run.from() - (narrow ? 1 : 0), run.to()));
    }
    return new Cut(parts);
  }

  /** A normalisation by neighbours in channels or in space. */
  static Placement response(Site site, LocalResponseNorm norm) {
    Way way = site.wanted();
    if (way instanceof Way.Split split) {
      boolean features = site.isFeatures(split);
      boolean across = norm.across() == LocalResponseNorm.Across.CHANNELS;
      if (features == across) {
        Cut cut =
            Space.isPlain(split.cut())
                ? split.cut()
                : Cut.even(site.input().extents().get(split.dimension()), site.size());
        Way wide = new Way.Split(split.dimension(), Space.widened(cut, norm.size() / 2));
        return new Placement(
            features ? Mode.FOLLOW : Mode.SPACE,
            List.of(new Need(wide, false)),
            wide,
            new Way.Split(split.dimension(), cut),
            0,
            Optional.empty());
      }
    }
    return Placement.local(site.modeOf(way), 1, way);
  }
}
