package dev.tandem.ensemble.combine;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** Makes one answer of those of all members. Immutable, any thread. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Averaging.class, name = "averaging"),
  @JsonSubTypes.Type(value = Majority.class, name = "majority"),
  @JsonSubTypes.Type(value = Stacking.class, name = "stacking")
})
public sealed interface Combiner permits Averaging, Majority, Stacking {

  /**
   * The answer for one sample: probabilities that add up to 1, or values.
   *
   * @param answers by member, all of the same length
   */
  double[] combine(double[][] answers);

  /** The place of the largest number; of equal ones the first. */
  static int best(double[] answer) {
    int best = 0;
    for (int i = 1; i < answer.length; i++) {
      best = answer[i] > answer[best] ? i : best;
    }
    return best;
  }
}
