package dev.tandem.nn.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.Samples;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ModelsTest {

  @Test
  void parameterCountsAreThePublishedOnes() {
    assertEquals(431_080, LeNet.spec(10).parameterCount());
    assertEquals(89_578, CaffeCifar.spec(10).parameterCount());
    assertEquals(60_965_224, AlexNet.spec(1000).parameterCount());
    assertEquals(60_965_224, AlexNet.caffeNet(1000).parameterCount());
    assertEquals(61_100_840, AlexNet.oneTower(1000).parameterCount());
    assertEquals(132_863_336, Vgg.a(1000).parameterCount());
    assertEquals(138_357_544, Vgg.sixteen(1000).parameterCount());
    assertEquals(11_689_512, ResNet.spec(18, 1000).parameterCount());
    assertEquals(21_797_672, ResNet.spec(34, 1000).parameterCount());
    assertEquals(25_557_032, ResNet.spec(50, 1000).parameterCount());
    assertEquals(44_549_160, ResNet.spec(101, 1000).parameterCount());
    assertEquals(60_192_808, ResNet.spec(152, 1000).parameterCount());
    assertEquals(6_624_904, GoogLeNet.spec(1000, false).parameterCount());
    assertEquals(13_004_888, GoogLeNet.spec(1000, true).parameterCount());
    assertEquals(23_834_568, InceptionV3.spec(1000, false).parameterCount());
    assertEquals(27_161_264, InceptionV3.spec(1000, true).parameterCount());
    assertEquals(8_946_116, CosmoFlow.spec(256).parameterCount());
    assertEquals(809_098, TransformerEncoder.small(10).parameterCount());
  }

  @Test
  void shapesInTheMiddleAreThePublishedOnes() {
    assertEquals(Shape.of(96, 55, 55), AlexNet.spec(1000).shapes().get("conv1"));
    assertEquals(Shape.of(256, 6, 6), AlexNet.caffeNet(1000).shapes().get("pool5"));
    assertEquals(Shape.of(512, 7, 7), Vgg.sixteen(1000).shapes().get("pool5"));
    assertEquals(Shape.of(2048, 7, 7), ResNet.spec(50, 1000).shapes().get("layer4.2.relu"));
    assertEquals(Shape.of(1024, 7, 7), GoogLeNet.spec(1000, false).shapes().get("5b"));
    assertEquals(Shape.of(768, 17, 17), InceptionV3.spec(1000, true).shapes().get("6e"));
    assertEquals(Shape.of(2048, 8, 8), InceptionV3.spec(1000, true).shapes().get("7c"));
    assertEquals(Shape.of(128, 3, 3, 3), CosmoFlow.spec(256).shapes().get("conv7"));
    assertEquals(Shape.of(64, 4, 4), CaffeCifar.spec(10).shapes().get("pool3"));
    assertThrows(UsageException.class, () -> ResNet.spec(20, 10));
  }

  @Test
  void smallModelsMakeAStep() {
    for (NetworkOptions.Precision precision : NetworkOptions.Precision.values()) {
      step(LeNet.spec(10), 4, precision);
      step(CaffeCifar.spec(10), 4, precision);
      step(TransformerEncoder.small(10), 2, precision);
      step(ResNet.small(18, 10), 2, precision);
    }
  }

  @Test
  @Tag("slow")
  void largeModelsMakeAStep() {
    Map<String, NetworkSpec> models =
        Map.of(
            "AlexNet", AlexNet.spec(1000),
            "CaffeNet", AlexNet.caffeNet(1000),
            "VGG-A", Vgg.a(1000),
            "VGG16", Vgg.sixteen(1000),
            "ResNet-50", ResNet.spec(50, 1000),
            "ResNet-152", ResNet.spec(152, 1000),
            "GoogLeNet", GoogLeNet.spec(1000, true),
            "Inception-v3", InceptionV3.spec(1000, true),
            "CosmoFlow", CosmoFlow.spec(128));
    models.forEach(
        (name, spec) -> {
          System.out.println(name);
          step(spec, 2, NetworkOptions.Precision.FULL);
        });
  }

  /** Finite loss, and a gradient for every parameter. */
  private static void step(NetworkSpec spec, int batch, NetworkOptions.Precision precision) {
    NetworkOptions options = NetworkOptions.DEFAULT.withPrecision(precision);
    Seed seed = new Seed(11);
    try (Network network = Network.create(Engine.start(2), spec, seed, options);
        Arena arena = Arena.ofConfined()) {
      MemorySegment inputs = arena.allocate(4 * spec.input().elements() * batch, 64);
      SplittableRandom random = seed.random();
      for (long i = 0; i < spec.input().elements() * batch; i++) {
        inputs.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (2 * random.nextDouble() - 1));
      }
      MemorySegment targets = arena.allocate(8L * spec.classes() * batch, 64);
      double loss =
          network.forwardBackward(new Samples(inputs, targets, batch), TrainingStep.of(seed, 0));
      assertTrue(Double.isFinite(loss) && loss > 0, "loss " + loss);
      for (TensorView gradient : network.gradients()) {
        boolean moves = false;
        for (float value : gradient.data().toArray(ValueLayout.JAVA_FLOAT)) {
          assertTrue(Float.isFinite(value), gradient.name());
          moves |= value != 0;
        }
        assertTrue(moves, gradient.name() + " has no gradient");
      }
    }
  }
}
