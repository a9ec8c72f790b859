package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.internal.LayerCases;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What a network on a device promises: all that one on the processor does. */
abstract class DeviceContract {

  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final double UNLIMITED = Double.POSITIVE_INFINITY;
  private static final NetworkSpec GRAPH = SmallGraph.spec();

  /** The engine on the device. */
  abstract Engine device();

  /** The engine that is known to be right. */
  final Engine processor() {
    return Engine.start(1);
  }

  @Test
  final void layersComputeWhatTheProcessorComputes() {
    SplittableRandom random = TestSeed.of(DeviceContract.class).random();
    for (DType type : List.of(DType.FLOAT32, DType.FLOAT64)) {
      double tolerance = type == DType.FLOAT64 ? 1e-9 : 1e-3;
      for (LayerCases drawn : LayerCases.draw(random)) {
        LayerValues values =
            new LayerValues(drawn.layer(), drawn.inputs(), type, random.nextLong());
        List<double[]> expected = values.on(processor());
        List<double[]> actual = values.on(device());
        for (int i = 0; i < expected.size(); i++) {
          assertClose(
              expected.get(i), actual.get(i), tolerance, drawn + " " + type + " value " + i);
        }
      }
    }
  }

  /** Output, gradients by inputs and by parameters of a layer. */
  private record LayerValues(LayerSpec layer, List<Shape> inputs, DType type, long seed) {

    private static final int BATCH = 3;

    List<double[]> on(Engine engine) {
      SplittableRandom random = new SplittableRandom(seed);
      try (Arena arena = Arena.ofConfined();
          LayerPasses passes = new LayerPasses(engine, layer, inputs, type, new Seed(seed))) {
        List<MemorySegment> given = new ArrayList<>();
        List<MemorySegment> data = new ArrayList<>();
        for (Shape shape : inputs) {
          given.add(random(arena, shape, random));
          data.add(arena.allocate(given.getLast().byteSize(), 64));
        }
        MemorySegment output = random(arena, passes.outputShape(), random);
        MemorySegment gradient = random(arena, passes.outputShape(), random);
        passes.forward(given, BATCH, TrainingStep.of(new Seed(3), 1), output);
        passes.backwardData(gradient, data);
        passes.backwardWeights(gradient);
        List<double[]> all = new ArrayList<>();
        all.add(numbers(output));
        data.forEach(each -> all.add(numbers(each)));
        passes.gradients().forEach(view -> all.add(Batches.numbers(view)));
        return all;
      }
    }

    private MemorySegment random(Arena arena, Shape shape, SplittableRandom random) {
      long elements = shape.elements() * BATCH;
      MemorySegment memory = arena.allocate(elements * type.bytes(), 64);
      for (long i = 0; i < elements; i++) {
        double value = 2 * random.nextDouble() - 1;
        if (type == DType.FLOAT64) {
          memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
        } else {
          memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
        }
      }
      return memory;
    }

    private double[] numbers(MemorySegment memory) {
      return Batches.numbers(
          new TensorView("", type, Shape.of(memory.byteSize() / type.bytes()), memory));
    }
  }

  @Test
  final void everyOptimizerLearnsTheSame() {
    Map<String, Function<Network, Optimizer>> all = new LinkedHashMap<>();
    all.put("sgd", n -> new SgdMomentum(n, new SgdMomentum.Settings(0.9, 5e-4, false, UNLIMITED)));
    all.put("nesterov", n -> new SgdMomentum(n, new SgdMomentum.Settings(0.9, 5e-4, true, 1)));
    all.put("adam", n -> new Adam(n, new Adam.Settings(0.9, 0.999, 1e-8, 1e-2, false)));
    all.put("adamw", n -> new Adam(n, new Adam.Settings(0.9, 0.999, 1e-8, 1e-2, true)));
    all.put("rmsprop", n -> new RmsProp(n, new RmsProp.Settings(0.99, 1e-8, 0.5, 1e-3)));
    all.put("adagrad", n -> new Adagrad(n, new Adagrad.Settings(1e-10, 1e-3)));
    all.put("lars", n -> new Lars(n, new Lars.Settings(0.9, 5e-4, 0.01)));
    all.put("lamb", n -> new Lamb(n, new Lamb.Settings(0.9, 0.999, 1e-6, 1e-2)));
    Seed seed = TestSeed.of(DeviceContract.class);
    Batches batch = Batches.random(seed, GRAPH, DType.FLOAT64, 6);
    NetworkOptions exact = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);
    all.forEach(
        (name, optimizer) -> {
          List<double[]> expected = learned(processor(), seed, exact, batch, optimizer);
          List<double[]> actual = learned(device(), seed, exact, batch, optimizer);
          for (int i = 0; i < expected.size(); i++) {
            assertClose(expected.get(i), actual.get(i), 1e-6, name + " tensor " + i);
          }
        });
  }

  /** The losses of some steps, and the whole state after them. */
  private static List<double[]> learned(
      Engine engine,
      Seed seed,
      NetworkOptions options,
      Batches batch,
      Function<Network, Optimizer> optimizers) {
    try (Network network = Network.create(engine, GRAPH, seed, options);
        Optimizer optimizer = optimizers.apply(network)) {
      double[] losses = new double[4];
      for (int i = 0; i < losses.length; i++) {
        losses[i] = network.forwardBackward(batch.samples(), TrainingStep.of(new Seed(2), i));
        optimizer.step(0.01);
      }
      List<double[]> all = new ArrayList<>();
      all.add(losses);
      for (TensorView view : optimizer.stateTree(Map.of()).tensors().values()) {
        if (view.dtype() == DType.FLOAT64) {
          all.add(Batches.numbers(view));
        }
      }
      return all;
    }
  }

  @Test
  final void aResidualNetworkLearnsTheSame() {
    Seed seed = TestSeed.of(DeviceContract.class);
    NetworkSpec spec = ResNet.small(18, 10);
    Batches batch = Batches.random(seed, spec, DType.FLOAT32, 2);
    double[] expected = losses(processor(), spec, seed, NetworkOptions.DEFAULT, batch);
    assertClose(expected, losses(device(), spec, seed, NetworkOptions.DEFAULT, batch), 2e-3, "");
    NetworkOptions mixed = NetworkOptions.DEFAULT.withPrecision(NetworkOptions.Precision.MIXED);
    assertClose(expected, losses(device(), spec, seed, mixed, batch), 5e-2, "mixed");
  }

  static double[] losses(
      Engine engine, NetworkSpec spec, Seed seed, NetworkOptions options, Batches batch) {
    try (Network network = Network.create(engine, spec, seed, options);
        Optimizer optimizer =
            new SgdMomentum(network, new SgdMomentum.Settings(0.9, 5e-4, false, UNLIMITED))) {
      double[] losses = new double[3];
      for (int i = 0; i < losses.length; i++) {
        losses[i] = network.forwardBackward(batch.samples(), TrainingStep.of(seed, i));
        optimizer.step(1e-3);
      }
      return losses;
    }
  }

  @Test
  final void theSameStepsGiveTheSameBits() {
    Seed seed = TestSeed.of(DeviceContract.class);
    Batches batch = Batches.random(seed, GRAPH, DType.FLOAT32, 8);
    assertArrayEquals(
        losses(device(), GRAPH, seed, NetworkOptions.DEFAULT, batch),
        losses(device(), GRAPH, seed, NetworkOptions.DEFAULT, batch));
  }

  @Test
  final void stateGoesToTheHostAndBack() {
    Seed seed = TestSeed.of(DeviceContract.class);
    Batches batch = Batches.random(seed, GRAPH, DType.FLOAT32, 6);
    SgdMomentum.Settings settings = new SgdMomentum.Settings(0.9, 5e-4, false, UNLIMITED);
    try (Network network = Network.create(device(), GRAPH, seed);
        Optimizer optimizer = new SgdMomentum(network, settings);
        Network other = Network.create(device(), GRAPH, new Seed(77));
        Optimizer otherOptimizer = new SgdMomentum(other, settings)) {
      network.forwardBackward(batch.samples(), TrainingStep.of(seed, 0));
      optimizer.step(0.1);
      Map<String, TensorView> to = otherOptimizer.stateTree(Map.of()).tensors();
      optimizer
          .stateTree(Map.of())
          .tensors()
          .forEach((name, from) -> to.get(name).data().copyFrom(from.data()));
      otherOptimizer.stateChanged();
      double loss = network.forwardBackward(batch.samples(), TrainingStep.of(seed, 1));
      assertEquals(loss, other.forwardBackward(batch.samples(), TrainingStep.of(seed, 1)));
      optimizer.step(0.1);
      otherOptimizer.step(0.1);
      Map<String, TensorView> after = otherOptimizer.stateTree(Map.of()).tensors();
      optimizer
          .stateTree(Map.of())
          .tensors()
          .forEach((name, view) -> assertEquals(-1, view.data().mismatch(after.get(name).data())));
    }
  }

  @Test
  final void aCopyOfTheStateIsThatOfItsMomentWhileStepsGoOn() {
    Seed seed = TestSeed.of(DeviceContract.class);
    NetworkSpec spec = ResNet.small(18, 10);
    Batches batch = Batches.random(seed, spec, DType.FLOAT32, 2);
    SgdMomentum.Settings settings = new SgdMomentum.Settings(0.9, 5e-4, false, UNLIMITED);
    try (Network network = Network.create(device(), spec, seed);
        Optimizer optimizer = new SgdMomentum(network, settings)) {
      for (int i = 0; i < 3; i++) {
        network.forwardBackward(batch.samples(), TrainingStep.of(seed, i));
        optimizer.step(1e-3);
        Map<String, byte[]> expected = new LinkedHashMap<>();
        optimizer
            .stateTree(Map.of())
            .tensors()
            .forEach((name, view) -> expected.put(name, view.data().toArray(BYTE)));
        StateCopy copy = optimizer.stateCopy(Map.of("step", Integer.toString(i)));
        network.forwardBackward(batch.samples(), TrainingStep.of(seed, 10 + i));
        optimizer.step(1e-3);
        copy.arrival().await();
        assertEquals(Map.of("step", Integer.toString(i)), copy.tree().values());
        assertEquals(expected.keySet(), copy.tree().tensors().keySet());
        expected.forEach(
            (name, bytes) ->
                assertArrayEquals(
                    bytes, copy.tree().tensors().get(name).data().toArray(BYTE), name));
        copy.arrival().done();
      }
    }
  }

  @Test
  final void answersAndTheirCounts() {
    Seed seed = TestSeed.of(DeviceContract.class);
    NetworkSpec spec = DigitsNetwork.spec();
    Batches batch = Batches.glyphs(seed, 32);
    try (Network expected = Network.create(processor(), spec, seed);
        Network actual = Network.create(device(), spec, seed);
        Arena arena = Arena.ofConfined()) {
      ClassCounts counts = new ClassCounts(10);
      ClassCounts own = new ClassCounts(10);
      Evaluation one = expected.evaluate(batch.samples(), counts);
      Evaluation two = actual.evaluate(batch.samples(), own);
      assertEquals(one.correct(), two.correct());
      assertEquals(one.lossSum(), two.lossSum(), 1e-3);
      assertEquals(-1, counts.memory().mismatch(own.memory()));
      MemorySegment answers = arena.allocate(32L * 10 * Float.BYTES, 64);
      MemorySegment others = arena.allocate(32L * 10 * Float.BYTES, 64);
      expected.predict(batch.images(), 32, answers);
      actual.predict(batch.images(), 32, others);
      for (long i = 0; i < 320; i++) {
        assertEquals(
            answers.getAtIndex(ValueLayout.JAVA_FLOAT, i),
            others.getAtIndex(ValueLayout.JAVA_FLOAT, i),
            1e-3);
      }
    }
  }

  @Test
  final void valuesAsTargetsAndLossesInJava() {
    Seed seed = TestSeed.of(DeviceContract.class);
    NetworkSpec spec =
        NetworkSpec.of(Shape.of(6), new FullyConnected("values", 3))
            .withLoss(LossKind.MEAN_SQUARED_ERROR);
    Loss own =
        Loss.perSample(
            Loss.Target.VALUES,
            (outputs, target, gradient) -> {
              double sum = 0;
              for (int i = 0; i < outputs.length; i++) {
                gradient[i] = 2 * (outputs[i] - target[i]);
                sum += (outputs[i] - target[i]) * (outputs[i] - target[i]);
              }
              return sum;
            });
    SplittableRandom random = seed.random();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment inputs = arena.allocate(5L * 6 * Float.BYTES, 64);
      MemorySegment targets = arena.allocate(5L * 3 * Float.BYTES, 64);
      fill(inputs, random);
      fill(targets, random);
      Samples samples = new Samples(inputs, targets, 5);
      for (NetworkOptions options :
          List.of(NetworkOptions.DEFAULT, NetworkOptions.DEFAULT.withLoss(own))) {
        try (Network one = Network.create(processor(), spec, seed, options);
            Network two = Network.create(device(), spec, seed, options)) {
          TrainingStep step = TrainingStep.of(seed, 0);
          assertEquals(
              one.forwardBackward(samples, step), two.forwardBackward(samples, step), 1e-5);
          two.downloadGradients(0);
          assertSame(one.gradients(), two.gradients());
          assertEquals(
              one.evaluate(samples).meanSquaredError(),
              two.evaluate(samples).meanSquaredError(),
              1e-5);
        }
      }
    }
  }

  private static void fill(MemorySegment memory, SplittableRandom random) {
    for (long i = 0; i < memory.byteSize() / Float.BYTES; i++) {
      memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (2 * random.nextDouble() - 1));
    }
  }

  @Test
  final void gradientsAreToldInOrderAddUpAndAreClipped() {
    Seed seed = TestSeed.of(DeviceContract.class);
    Batches batch = Batches.random(seed, GRAPH, DType.FLOAT32, 8);
    List<Integer> told = new ArrayList<>();
    List<Integer> expectedOrder = new ArrayList<>();
    long[] right = {-1, -1};
    try (Network one = Network.create(processor(), GRAPH, seed);
        Network two = Network.create(device(), GRAPH, seed)) {
      step(one, batch, seed, expectedOrder, right, 0);
      step(two, batch, seed, told, right, 1);
      assertEquals(expectedOrder, told);
      assertEquals(right[0], right[1]);
      assertEquals(Gradients.norm(one), Gradients.norm(two), 1e-3 * Gradients.norm(one));
      Gradients.clip(one, 0.5);
      Gradients.clip(two, 0.5);
      two.downloadGradients(0);
      assertSame(one.gradients(), two.gradients());
    }
  }

  private static void step(
      Network network, Batches batch, Seed seed, List<Integer> told, long[] right, int place) {
    GradientListener listener =
        new GradientListener() {
          @Override
          public void ready(int shard, int parameter, TensorView gradient) {
            told.add(parameter);
          }

          @Override
          public void answered(int shard, java.util.function.LongSupplier correct) {
            right[place] = correct.getAsLong();
          }
        };
    TrainingStep step = TrainingStep.of(seed, 3).withMeanOver(8).withListener(listener);
    network.forwardBackward(batch.part(0, 5).samples(), step);
    told.clear();
    network.forwardBackward(batch.part(5, 3).samples(), step.withFirstSample(5).accumulating());
  }

  @Test
  final void stagedSamplesGiveTheSameBits() {
    Seed seed = TestSeed.of(DeviceContract.class);
    Batches batch = Batches.random(seed, GRAPH, DType.FLOAT32, 8);
    try (Network one = Network.create(device(), GRAPH, seed);
        Network two = Network.create(device(), GRAPH, seed);
        Arena pinned = two.sampleArena()) {
      for (int first = 0; first < 8; first += 4) {
        Batches part = batch.part(first, 4);
        MemorySegment images = pinned.allocate(part.images().byteSize(), 64);
        MemorySegment labels = pinned.allocate(part.labels().byteSize(), 64);
        images.copyFrom(part.images());
        labels.copyFrom(part.labels());
        two.stage(images, labels);
        two.awaitStaged();
        images.fill((byte) 0);
        for (int from = 0; from < 4; from += 2) {
          Batches half = new Batches(images, labels, 4, batch.imageBytes()).part(from, 2);
          Samples samples = half.samples();
          // The copy is taken from now on, not what is on the host.
          TrainingStep step = TrainingStep.of(seed, first);
          assertEquals(
              one.forwardBackward(part.part(from, 2).samples(), step),
              two.forwardBackward(samples, step));
        }
      }
      two.unstage();
    }
  }

  @Test
  final void buffersAreWhatTheyWere() {
    Seed seed = TestSeed.of(DeviceContract.class);
    Batches batch = Batches.random(seed, GRAPH, DType.FLOAT32, 4);
    try (Network network = Network.create(device(), GRAPH, seed);
        BuffersBefore before = new BuffersBefore(network)) {
      batch.train(network);
      network.download();
      List<double[]> expected = network.buffers().stream().map(Batches::numbers).toList();
      before.remember();
      batch.train(network);
      before.restore();
      network.download();
      for (int i = 0; i < expected.size(); i++) {
        assertArrayEquals(expected.get(i), Batches.numbers(network.buffers().get(i)));
      }
    }
  }

  @Test
  final void memoryIsFreeAfterSteps() {
    Seed seed = TestSeed.of(DeviceContract.class);
    Batches batch = Batches.random(seed, GRAPH, DType.FLOAT32, 4);
    Engine engine = device();
    long before = engine.memory().current();
    try (Network network = Network.create(engine, GRAPH, seed)) {
      batch.train(network);
      long after = engine.memory().current();
      for (int i = 0; i < 3; i++) {
        batch.train(network);
      }
      assertEquals(after, engine.memory().current());
      assertTrue(engine.memory().peak() > after);
    }
    assertEquals(before, engine.memory().current());
  }

  private static void assertSame(List<TensorView> expected, List<TensorView> actual) {
    for (int i = 0; i < expected.size(); i++) {
      assertClose(
          Batches.numbers(expected.get(i)),
          Batches.numbers(actual.get(i)),
          2e-3,
          expected.get(i).name());
    }
  }

  /** Equal but for rounding, by the largest number. */
  static void assertClose(double[] expected, double[] actual, double tolerance, String what) {
    assertEquals(expected.length, actual.length, what);
    double largest = 1e-2;
    for (double each : expected) {
      largest = Math.max(largest, Math.abs(each));
    }
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], actual[i], tolerance * largest, what + " element " + i);
    }
  }
}
