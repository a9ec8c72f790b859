package dev.tandem.oracle.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.oracle.cluster.Device;
import dev.tandem.oracle.profile.LayerSeconds.Passes;
import java.util.List;
import org.junit.jupiter.api.Test;

class RooflineLayersTest {

  private static final RooflineLayers LAYERS =
      new RooflineLayers(new Device("d", 16e9, 15e12, 0, 900e9), DType.FLOAT32);

  @Test
  void productsAreBoundByOperationsAndOthersByBytes() {
    List<Shape> features = List.of(Shape.of(4096));
    Passes product = LAYERS.of(new FullyConnected("a", 4096, true), features, 4096);
    double operations = 2.0 * 4096 * 4096 * 4096;
    assertEquals(1, product.forward() * 15e12 / operations * 0.6, 0.05);
    assertFalse(product.measured());
    Passes other = LAYERS.of(Activation.relu("r"), List.of(Shape.of(64, 56, 56)), 64);
    double bytes = 2.0 * 64 * 56 * 56 * 64 * 4;
    assertEquals(1, other.forward() * 900e9 / bytes * 0.7, 0.1);
    assertEquals(0, other.backwardWeights());
  }

  @Test
  void aVectorTimesAMatrixIsBoundByTheMatrix() {
    List<Shape> features = List.of(Shape.of(4096));
    Passes product = LAYERS.of(new FullyConnected("a", 4096, true), features, 1);
    assertTrue(product.forward() > 4.0 * 4096 * 4096 / 900e9);
  }
}
