package dev.tandem.nn.weights;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;

/** Networks with random weights and statistics, and what they answer. */
public final class Answers {

  private static final Engine ENGINE = Engine.start(2);

  private Answers() {}

  /** A network none of whose biases or statistics is at its dull first value. */
  public static Network network(NetworkSpec spec, Seed seed) {
    Network network = Network.create(ENGINE, spec, seed);
    SplittableRandom random = seed.derive("weights").random();
    for (TensorView view : network.parameters()) {
      if (view.shape().extents().size() == 1) {
        fill(view, () -> 0.5 + random.nextDouble());
      }
    }
    for (TensorView view : network.buffers()) {
      fill(view, () -> 0.5 + random.nextDouble());
    }
    return network;
  }

  /** A network with the weights of a file. */
  public static Network imported(ImportedNetwork imported) {
    Network network = Network.create(ENGINE, imported.spec(), new Seed(77));
    imported.weights().into(network, Weights.Unfit.REFUSED);
    return network;
  }

  /** Noise as samples. */
  public static float[] samples(NetworkSpec spec, Seed seed, int count) {
    SplittableRandom random = seed.derive("samples").random();
    float[] samples = new float[Math.toIntExact(spec.input().elements() * count)];
    for (int i = 0; i < samples.length; i++) {
      samples[i] = (float) (2 * random.nextDouble() - 1);
    }
    return samples;
  }

  public static float[] of(Network network, float[] samples) {
    int count = (int) (samples.length / network.spec().input().elements());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment inputs = arena.allocate(4L * samples.length, 64);
      MemorySegment.copy(samples, 0, inputs, ValueLayout.JAVA_FLOAT, 0, samples.length);
      MemorySegment answers = arena.allocate(4L * count * network.spec().classes(), 64);
      network.predict(inputs, count, answers);
      return answers.toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  /** Equal but for rounding, relative to the largest answer. */
  public static void assertClose(String name, float[] expected, float[] actual) {
    double largest = 1e-3;
    double error = 0;
    for (int i = 0; i < expected.length; i++) {
      largest = Math.max(largest, Math.abs(expected[i]));
      error = Math.max(error, Math.abs(expected[i] - actual[i]));
    }
    String text = name + ": off by " + error + " of " + largest;
    assertTrue(expected.length == actual.length && error <= 1e-5 * largest, text);
  }

  private static void fill(TensorView view, DoubleSupplier values) {
    for (long i = 0; i < view.shape().elements(); i++) {
      Elements.set(view, i, values.getAsDouble());
    }
  }
}
