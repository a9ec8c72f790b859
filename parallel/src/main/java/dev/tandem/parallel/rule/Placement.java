package dev.tandem.parallel.rule;

import dev.tandem.parallel.mesh.Mode;
import dev.tandem.parallel.mesh.Way;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * What a layer does along one axis.
 *
 * @param mode SAMPLES or SPACE if the ranks have other samples or places, FILTER or CHANNEL if they
 *     have parts of the weights, FOLLOW if they have parts of the features, and WHOLE
 * @param needs what it needs of each input
 * @param produced what the local layer makes
 * @param output the same without margins: what the layers after it get
 * @param fill what stands beyond the borders of its inputs
 * @param note why it does something else than was asked for, if it does
 */
public record Placement(
    Mode mode, List<Need> needs, Way produced, Way output, double fill, Optional<Refusal> note) {

  /**
   * Why a layer cannot be split as asked for.
   *
   * @param reason names the layer
   * @param remedy what a user may do about it
   */
  public record Refusal(String reason, String remedy) {}

  /**
   * What a layer needs of an input.
   *
   * @param sums whether the gradient that it gives back is a summand of the true one
   */
  public record Need(Way way, boolean sums) {}

  public Placement {
    needs = List.copyOf(needs);
  }

  /** Takes all inputs in one way, gives another, without margins. */
  static Placement of(Mode mode, int inputs, Way input, Way output) {
    return new Placement(
        mode,
        Collections.nCopies(inputs, new Need(input, false)),
        output,
        output,
        0,
        Optional.empty());
  }

  /** The same layer on local tensors. */
  static Placement local(Mode mode, int inputs, Way way) {
    return of(mode, inputs, way, way);
  }

  /** Everything on every rank. */
  static Placement whole(int inputs) {
    return local(Mode.WHOLE, inputs, Way.WHOLE);
  }

  /** The same, with a reason. */
  Placement because(String reason, String remedy) {
    return new Placement(
        mode, needs, produced, output, fill, Optional.of(new Refusal(reason, remedy)));
  }

  /** The same, whose inputs end in other numbers than 0. */
  Placement filledWith(double value) {
    return new Placement(mode, needs, produced, output, value, note);
  }

  /** The same, whose gradients by the inputs are summands. */
  Placement summing() {
    return new Placement(
        mode,
        needs.stream().map(need -> new Need(need.way(), true)).toList(),
        produced,
        output,
        fill,
        note);
  }
}
