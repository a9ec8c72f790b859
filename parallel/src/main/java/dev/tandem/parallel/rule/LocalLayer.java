package dev.tandem.parallel.rule;

import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
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
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SampleShare;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.nn.spec.Window;
import dev.tandem.parallel.mesh.Cut;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.mesh.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The part of a layer that one rank computes.
 *
 * @param layer the whole layer
 * @param inputs shapes of its whole inputs
 * @param placements what it does along each inner axis
 * @param input what the rank has of the first input
 * @param output what the rank makes of the output
 * @param samples which samples it has
 * @param ranks over which a normalisation takes its sums, if it has parts on several
 */
public record LocalLayer(
    LayerSpec layer,
    List<Shape> inputs,
    Map<String, Placement> placements,
    Mesh mesh,
    int rank,
    Region input,
    Region output,
    SampleShare samples,
    Optional<Transfer> ranks) {

  /** The layer with local extents. */
  public LayerSpec spec() {
    if (placements.values().stream().allMatch(each -> each.mode() == Mode.WHOLE)) {
      return layer;
    }
    return switch (layer) {
      case Convolution(String name, _, Window window, int groups, boolean bias) ->
          new Convolution(
              name,
              Math.toIntExact(features().extent()),
              unpadded(window),
              groups == 1 ? 1 : localGroups(groups),
              bias && addsBias());
      case FullyConnected(String name, _, boolean bias) ->
          new FullyConnected(name, Math.toIntExact(features().extent()), bias && addsBias());
      case MaxPool(String name, Window window, boolean ceil) ->
          new MaxPool(name, unpadded(window), ceil);
      case AveragePool(String name, Window window, boolean ceil) ->
          new AveragePool(name, unpadded(window), ceil);
      case BatchNorm norm -> new BatchNorm(norm.name(), norm.momentum(), norm.epsilon(), ranks);
      case GroupNorm norm ->
          new GroupNorm(
              norm.name(),
              Math.toIntExact(norm.groups() * output.dimensions().getFirst().extent() / channels()),
              norm.epsilon(),
              ranks);
      case Dropout dropout ->
          new Dropout(dropout.name(), dropout.probability(), Optional.of(output), samples);
      case SelfAttention attention ->
          new SelfAttention(
              attention.name(),
              Math.toIntExact(heads(attention).extent()),
              headSize(attention),
              attention.outputBias() && addsBias());
      case Activation _,
          Add _,
          Concatenation _,
          Flatten _,
          GlobalPool _,
          LayerNorm _,
          LocalResponseNorm _,
          Positions _,
          TokenMean _,
          Tokens _ ->
          layer;
      case Exchange _ -> throw new IllegalArgumentException("a network that is split already");
    };
  }

  /** What the rank holds of a parameter or buffer of this shape, by its name in the layer. */
  public Region region(String role, Shape whole) {
    return switch (layer) {
      case Convolution convolution ->
          role.equals("weight")
              ? weight(
                  whole,
                  convolution.groups() == 1
                      ? input.dimensions().getFirst()
                      : Ranges.all(whole.extents().get(1)))
              : new Region(List.of(features()));
      case FullyConnected _ ->
          role.equals("weight")
              ? weight(whole, input.dimensions().getLast())
              : new Region(List.of(features()));
      case SelfAttention attention -> attention(attention, role, whole);
      case BatchNorm _, GroupNorm _, LayerNorm _ -> new Region(List.of(features()));
      case Positions _ -> output;
      case Activation _,
          Add _,
          AveragePool _,
          Concatenation _,
          Dropout _,
          Exchange _,
          Flatten _,
          GlobalPool _,
          LocalResponseNorm _,
          MaxPool _,
          TokenMean _,
          Tokens _ ->
          throw new IllegalArgumentException(layer.name() + " has no parameters");
    };
  }

  private Region weight(Shape whole, Ranges inputFeatures) {
    List<Ranges> ranges = new ArrayList<>(Region.all(whole).dimensions());
    ranges.set(0, features());
    ranges.set(1, inputFeatures);
    return new Region(ranges);
  }

  /** Queries, keys and values of the own heads; what they give is a part of the output's inputs. */
  private Region attention(SelfAttention attention, String role, Shape whole) {
    Ranges inner = heads(attention).times(headSize(attention));
    long width = inner.whole();
    Ranges rows =
        Ranges.joined(
            3 * width,
            List.of(
                inner.within(3 * width, 0),
                inner.within(3 * width, width),
                inner.within(3 * width, 2 * width)));
    return switch (role) {
      case "in_projection.weight" -> new Region(List.of(rows, Ranges.all(whole.extents().get(1))));
      case "in_projection.bias" -> new Region(List.of(rows));
      case "out_projection.weight" ->
          new Region(List.of(Ranges.all(whole.extents().getFirst()), inner));
      case "out_projection.bias" -> Region.all(whole);
      default -> throw new IllegalArgumentException("attention has no " + role);
    };
  }

  private Ranges heads(SelfAttention attention) {
    for (Map.Entry<String, Placement> entry : placements.entrySet()) {
      if (entry.getValue().mode() == Mode.FILTER) {
        Cut cut = WeightRules.heads(attention, mesh.size(entry.getKey()));
        return cut.parts().get(mesh.coordinate(rank, entry.getKey()));
      }
    }
    return Ranges.all(attention.heads());
  }

  private int headSize(SelfAttention attention) {
    long features = inputs.getFirst().extents().getLast();
    return Math.toIntExact(attention.width(features) / attention.heads());
  }

  private Ranges features() {
    List<Ranges> dimensions = output.dimensions();
    return dimensions.get(Site.features(output.whole()));
  }

  private long channels() {
    return inputs.getFirst().extents().getFirst();
  }

  /** Where ranks make summands, the first of them adds the bias. */
  private boolean addsBias() {
    return placements.entrySet().stream()
        .filter(entry -> entry.getValue().output() instanceof Way.Sum)
        .allMatch(entry -> mesh.coordinate(rank, entry.getKey()) == 0);
  }

  private int localGroups(int groups) {
    Ranges channels = input.dimensions().getFirst();
    long own = Math.max(1, channels.extent() * groups / channels.whole());
    return Math.toIntExact(own);
  }

  /** Margins take the place of padding in dimensions that are split. */
  private Window unpadded(Window window) {
    int dimensions = inputs.getFirst().extents().size() - 1;
    Window all = window.over(dimensions);
    List<Integer> padding = new ArrayList<>(all.padding());
    placements.forEach(
        (axis, placement) -> {
          if (placement.mode() == Mode.SPACE && placement.produced() instanceof Way.Split split) {
            padding.set(split.dimension() - 1, 0);
          }
        });
    return all.padding().equals(padding)
        ? window
        : new Window(all.kernel(), all.stride(), padding, all.dilation());
  }
}
