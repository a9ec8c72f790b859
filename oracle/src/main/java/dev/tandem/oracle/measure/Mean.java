package dev.tandem.oracle.measure;

import dev.tandem.oracle.profile.Profile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** Joins what was measured of the same several times: on several ranks, in several turns. */
final class Mean {

  private Mean() {}

  static <T> double of(List<T> all, ToDoubleFunction<T> figure) {
    return all.stream().mapToDouble(figure).average().orElse(0);
  }

  /** Of times of the same samples. */
  static Profile.Times of(List<Profile.Times> all) {
    return new Profile.Times(
        all.getFirst().samples(),
        of(all, Profile.Times::forward),
        of(all, Profile.Times::backwardData),
        of(all, Profile.Times::backwardWeights),
        of(all, Profile.Times::spread));
  }

  /** A layer with these times. */
  static Profile.Layer with(Profile.Layer layer, List<Profile.Times> times) {
    return new Profile.Layer(
        layer.name(),
        layer.kind(),
        layer.signature(),
        layer.inputs(),
        layer.output(),
        layer.parameters(),
        layer.operations(),
        times);
  }

  /** The layers of several ranks, each signature once. */
  static List<Profile.Layer> ofRanks(List<List<Profile.Layer>> ranks) {
    Map<String, Profile.Layer> layers = new LinkedHashMap<>();
    Map<String, Map<Integer, List<Profile.Times>>> times = new LinkedHashMap<>();
    for (List<Profile.Layer> rank : ranks) {
      for (Profile.Layer layer : rank) {
        layers.putIfAbsent(layer.signature(), layer);
        Map<Integer, List<Profile.Times>> own =
            times.computeIfAbsent(layer.signature(), _ -> new TreeMap<>());
        layer
            .times()
            .forEach(each -> own.computeIfAbsent(each.samples(), _ -> new ArrayList<>()).add(each));
      }
    }
    List<Profile.Layer> joined = new ArrayList<>();
    layers.forEach(
        (signature, layer) ->
            joined.add(with(layer, times.get(signature).values().stream().map(Mean::of).toList())));
    return joined;
  }
}
