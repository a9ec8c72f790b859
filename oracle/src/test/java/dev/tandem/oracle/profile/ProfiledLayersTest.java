package dev.tandem.oracle.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.oracle.profile.LayerSeconds.Passes;
import dev.tandem.oracle.profile.Profile.Times;
import dev.tandem.parallel.exchange.NoTransfer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;
import org.junit.jupiter.api.Test;

class ProfiledLayersTest {

  private static final List<Shape> FEATURES = List.of(Shape.of(64));

  private static Profile profile(Profile.Layer... layers) {
    return new Profile(
        1,
        "",
        2,
        2,
        1,
        0,
        "float32",
        "",
        List.of(layers),
        List.of(new Profile.Update(1, 1e-9, 1e-6)),
        1e-6,
        1e-9,
        new Profile.PerPass(1e-4, 1e-6),
        1,
        List.of(new Profile.StartUp(100, 1), new Profile.StartUp(300, 2)),
        List.of());
  }

  private static Profile.Layer layer(LayerSpec spec, List<Shape> inputs, Times... times) {
    return new Profile.Layer(
        spec.name(),
        spec.kind(),
        LayerSignature.of(spec, inputs).text(),
        inputs.stream().map(Shape::extents).toList(),
        spec.output(inputs).extents(),
        spec.parameters(inputs).stream().mapToLong(each -> each.shape().elements()).sum(),
        LayerCost.forward(spec, inputs),
        List.of(times));
  }

  private static Times times(int samples, double forward) {
    return new Times(samples, forward, 2 * forward, 3 * forward, 0.05);
  }

  private static double forward(ProfiledLayers layers, LayerSpec spec, long samples) {
    return layers.of(spec, FEATURES, samples).forward();
  }

  @Test
  void linesBetweenAndBeyondTheSamplesThatWereMeasured() {
    LayerSpec spec = new FullyConnected("a", 32, true);
    ProfiledLayers layers =
        new ProfiledLayers(
            profile(layer(spec, FEATURES, times(4, 4e-5), times(8, 6e-5), times(16, 14e-5))));
    assertEquals(4e-5, forward(layers, spec, 4), 1e-12);
    assertEquals(5e-5, forward(layers, spec, 6), 1e-12);
    assertEquals(10e-5, forward(layers, spec, 12), 1e-12);
    assertEquals(3e-5, forward(layers, spec, 2), 1e-12);
    assertEquals(22e-5, forward(layers, spec, 24), 1e-12);
    assertEquals(0, forward(layers, spec, 0));
    Passes passes = layers.of(new FullyConnected("other", 32, true), FEATURES, 8);
    assertTrue(passes.measured());
    assertEquals(12e-5, passes.backwardData(), 1e-12);
    assertEquals(18e-5, passes.backwardWeights(), 1e-12);
    assertEquals(0.05, passes.spread());
  }

  /** Fewer samples that took longer: more still take no less than the most that was measured. */
  @Test
  void noiseMakesNothingNegative() {
    LayerSpec spec = new FullyConnected("a", 32, true);
    ProfiledLayers layers =
        new ProfiledLayers(profile(layer(spec, FEATURES, times(4, 6e-5), times(8, 4e-5))));
    assertEquals(4e-5, forward(layers, spec, 64), 1e-12);
    assertEquals(6e-5, forward(layers, spec, 1), 1e-12);
  }

  /** Layers that obey the formula are estimated by it. */
  @Test
  void layersThatWereNotMeasuredAreEstimatedFromTheirKind() {
    ToDoubleBiFunction<FullyConnected, Integer> truth =
        (spec, samples) -> 2e-6 + samples * LayerCost.forward(spec, FEATURES) / 1e10;
    List<Profile.Layer> known = new ArrayList<>();
    for (int outputs : new int[] {8, 24, 100, 300, 1000}) {
      FullyConnected spec = new FullyConnected("a", outputs, true);
      known.add(
          layer(
              spec,
              FEATURES,
              times(4, truth.applyAsDouble(spec, 4)),
              times(16, truth.applyAsDouble(spec, 16))));
    }
    ProfiledLayers layers = new ProfiledLayers(profile(known.toArray(Profile.Layer[]::new)));
    FullyConnected other = new FullyConnected("b", 500, true);
    Passes estimate = layers.of(other, FEATURES, 8);
    assertFalse(estimate.measured());
    assertEquals(1, estimate.forward() / truth.applyAsDouble(other, 8), 0.02);
    assertEquals(2, estimate.backwardData() / truth.applyAsDouble(other, 8), 0.04);
    assertTrue(estimate.spread() < 0.05, "" + estimate.spread());
    // The constant is what does not shrink when a layer is split.
    assertTrue(forward(layers, new FullyConnected("c", 1, false), 1) > 1.5e-6);
  }

  /** One measurement far off does not move the others. */
  @Test
  void theFitIsRobust() {
    Profile.Layer[] known = new Profile.Layer[9];
    for (int i = 0; i < known.length; i++) {
      FullyConnected spec = new FullyConnected("a", 4 << i, true);
      double seconds = 8 * LayerCost.forward(spec, FEATURES) / 1e10;
      known[i] = layer(spec, FEATURES, times(8, i == 2 ? 30 * seconds : seconds));
    }
    ProfiledLayers layers = new ProfiledLayers(profile(known));
    FullyConnected other = new FullyConnected("b", 700, true);
    double truth = 8 * LayerCost.forward(other, FEATURES) / 1e10;
    assertEquals(1, forward(layers, other, 8) / truth, 0.05);
  }

  @Test
  void aLayerOfAProgramWithoutSignaturesIsKnownByItsShapes() {
    LayerSpec spec = new FullyConnected("a", 32, true);
    Profile.Layer known = layer(spec, FEATURES, times(4, 4e-5), times(8, 8e-5));
    Profile.Layer foreign =
        new Profile.Layer(
            "fc",
            known.kind(),
            "",
            known.inputs(),
            known.output(),
            known.parameters(),
            0,
            known.times());
    ProfiledLayers layers = new ProfiledLayers(profile(foreign));
    assertTrue(layers.of(spec, FEATURES, 4).measured());
    assertFalse(layers.of(new FullyConnected("a", 32, false), FEATURES, 4).measured());
  }

  @Test
  void namesAndRanksAreNotPartOfASignatureButSumsOverRanksAre() {
    List<Shape> image = List.of(Shape.of(8, 4, 4));
    BatchNorm alone = new BatchNorm("a", 0.1, 1e-5, Optional.empty());
    BatchNorm other = new BatchNorm("b", 0.1, 1e-5, Optional.empty());
    assertEquals(LayerSignature.of(alone, image), LayerSignature.of(other, image));
    BatchNorm one = new BatchNorm("a", 0.1, 1e-5, Optional.of(new NoTransfer(2, 0)));
    BatchNorm two = new BatchNorm("a", 0.1, 1e-5, Optional.of(new NoTransfer(4, 3)));
    assertEquals(LayerSignature.of(one, image), LayerSignature.of(two, image));
    assertNotEquals(LayerSignature.of(alone, image), LayerSignature.of(one, image));
  }

  @Test
  void updatesOfOtherOptimizersTakeWhatTheirStateMoves() {
    ProfiledLayers layers = new ProfiledLayers(profile());
    assertEquals(1e-3 + 1e-5, layers.update(1_000_000, 10, 1), 1e-9);
    assertEquals(1e-3 * 7 / 5 + 1e-5, layers.update(1_000_000, 10, 2), 1e-9);
    assertEquals(1e-4 + 2e-5, layers.perPass(20), 1e-12);
    assertEquals(0, layers.copy(0));
    assertEquals(2e-6, layers.copy(1000), 1e-12);
  }

  /**
   * Ten layers: step 1 ends after 10, steps 2 to 10 have gone through 100, 11 to 40 through 400.
   */
  @Test
  void theFirstStepsOfARunTakeLonger() {
    Profile profile = profile();
    assertEquals((1 - 0.1) / 9, profile.startUpSeconds(9, 10), 1e-9);
    assertEquals((2 - 0.1) / 39, profile.startUpSeconds(39, 10), 1e-9);
    assertEquals((1.5 - 0.1) / 19, profile.startUpSeconds(19, 10), 1e-9);
  }

  @Test
  void aProfileWithoutLayersSaysWhatToDo() {
    UsageException refused =
        assertThrows(
            UsageException.class,
            () -> new ProfiledLayers(profile()).of(new FullyConnected("a", 1, true), FEATURES, 1));
    assertTrue(refused.getMessage().contains("./tandem profile MODEL"));
  }
}
