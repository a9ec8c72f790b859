package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract by a GPU, and what only a GPU has. */
@Tag("gpu")
class CudaDeviceTest extends DeviceContract {

  private static final NetworkSpec RESNET = ResNet.small(18, 10);
  private static final SgdMomentum.Settings SETTINGS =
      new SgdMomentum.Settings(0.9, 5e-4, false, Double.POSITIVE_INFINITY);

  @BeforeAll
  static void needsGpu() {
    Gpu.engine();
  }

  @Override
  Engine device() {
    return Gpu.engine();
  }

  @Test
  void repeatedStepsGiveTheBitsOfOthers() {
    Seed seed = TestSeed.of(CudaDeviceTest.class);
    for (NetworkOptions.Precision precision : NetworkOptions.Precision.values()) {
      NetworkOptions options = NetworkOptions.DEFAULT.withPrecision(precision);
      assertArrayEquals(losses(false, seed, options), losses(true, seed, options));
    }
  }

  /** Of ten steps, each with another batch, the last but one smaller. */
  private static double[] losses(boolean graph, Seed seed, NetworkOptions options) {
    Engine engine = Gpu.engine(EngineOptions.of(new Device("cuda:0"), 1).withGraph(graph));
    double[] losses = new double[10];
    try (Network network = Network.create(engine, RESNET, seed, options);
        Optimizer optimizer = new SgdMomentum(network, SETTINGS)) {
      for (int i = 0; i < losses.length; i++) {
        Batches batch = Batches.random(seed.derive(i), RESNET, DType.FLOAT32, i == 8 ? 7 : 16);
        losses[i] = network.forwardBackward(batch.samples(), TrainingStep.of(seed, i));
        optimizer.step(0.01);
      }
    }
    return losses;
  }

  /** With batches of two sizes, answers and copies of the state; as the driver counts it. */
  @Test
  void tenThousandStepsTakeNoFurtherMemory() {
    Seed seed = TestSeed.of(CudaDeviceTest.class);
    Batches large = Batches.random(seed, RESNET, DType.FLOAT32, 16);
    Batches small = Batches.random(seed, RESNET, DType.FLOAT32, 7);
    long free = 0;
    try (Network network = Network.create(device(), RESNET, seed);
        Optimizer optimizer = new SgdMomentum(network, SETTINGS)) {
      for (int i = 0; i < 10_000; i++) {
        if (i == 1_000) {
          free = device().deviceMemory().orElseThrow().free();
        }
        Batches batch = i % 50 == 0 ? small : large;
        network.forwardBackward(batch.samples(), TrainingStep.of(seed, i));
        optimizer.step(1e-4);
        if (i % 100 == 0) {
          network.evaluate(small.samples(), new ClassCounts(10));
          StateCopy copy = optimizer.stateCopy(Map.of());
          copy.arrival().await();
          copy.arrival().done();
        }
      }
    }
    assertEquals(free, device().deviceMemory().orElseThrow().free());
  }

  @Test
  void theSameStepsOfAResidualNetworkGiveTheSameBits() {
    Seed seed = TestSeed.of(CudaDeviceTest.class);
    Batches batch = Batches.random(seed, RESNET, DType.FLOAT32, 32);
    for (NetworkOptions.Precision precision : NetworkOptions.Precision.values()) {
      NetworkOptions options = NetworkOptions.DEFAULT.withPrecision(precision);
      assertArrayEquals(
          losses(device(), RESNET, seed, options, batch),
          losses(device(), RESNET, seed, options, batch));
    }
  }

  @Test
  void whatDoesNotFitIsSaidAndTheNextStepGoesOn() {
    NetworkSpec spec = ResNet.spec(18, 10);
    Seed seed = TestSeed.of(CudaDeviceTest.class);
    try (Network network = Network.create(device(), spec, seed)) {
      Batches small = Batches.random(seed, spec, DType.FLOAT32, 2);
      double loss = small.train(network);
      long held = device().memory().current();
      Engine engine = device();
      // More than any GPU has, in pieces that are there on the host once.
      var e =
          assertThrows(
              WorkFailedException.class,
              () ->
                  network.inScope(
                      () ->
                          dev.tandem.nn.engine.Tensor.zeros(
                              dev.tandem.nn.engine.ScalarType.FLOAT, 1L << 40)));
      assertTrue(Engine.ranOutOfMemory(e), e.getMessage());
      assertEquals(1, e.getMessage().lines().count());
      assertEquals(held, device().memory().current());
      assertEquals(engine.device(), new Device("cuda:0"));
      assertEquals(loss, small.train(network), 1e-3 * loss);
    }
  }

  @Test
  void aGpuThatIsNotThere() {
    var e =
        assertThrows(
            dev.tandem.core.UsageException.class, () -> Engine.start(new Device("cuda:1000"), 1));
    assertTrue(e.getMessage().startsWith("device: cuda:1000, but this process sees "));
  }
}
