package dev.tandem.oracle.published;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;

/** Leaves out, in turn, all measurements that have something in common. */
enum Folds {
  /** All of a number of devices. */
  SCALE(observation -> Integer.toString(observation.configuration().devices())),
  /** All of a network. */
  MODEL(observation -> observation.configuration().model());

  @SuppressWarnings("ImmutableEnumChecker") // functions without state
  private final Function<Observation, String> key;

  Folds(Function<Observation, String> key) {
    this.key = key;
  }

  /** Projections of all measurements, in the order of the folds. */
  List<LeftOut> project(
      List<Observation> observations, Function<List<Observation>, IterationModel> calibration) {
    List<LeftOut> results = new ArrayList<>();
    for (String fold : new TreeSet<>(observations.stream().map(key).toList())) {
      List<Observation> others =
          observations.stream().filter(o -> !key.apply(o).equals(fold)).toList();
      IterationModel model = calibration.apply(others);
      for (Observation observation : observations) {
        if (key.apply(observation).equals(fold)) {
          results.add(new LeftOut(observation, fold, model.seconds(observation.configuration())));
        }
      }
    }
    return results;
  }
}
