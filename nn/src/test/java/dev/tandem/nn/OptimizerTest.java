package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class OptimizerTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkOptions EXACT = NetworkOptions.DEFAULT.withDtype(DType.FLOAT64);
  private static final NetworkSpec SPEC =
      NetworkSpec.of(Shape.of(4), new FullyConnected("scores", 3, true));
  private static final int WEIGHTS = 12;
  private static final int ALL = 15;
  private static final int STEPS = 5;
  private static final double RATE = 0.1;

  /** The optimizers that PyTorch has too, with its words for the same settings. */
  private static Map<String, Function<Network, Optimizer>> peers() {
    Map<String, Function<Network, Optimizer>> peers = new LinkedHashMap<>();
    double unlimited = Double.POSITIVE_INFINITY;
    peers.put(
        "SGD(p, lr=r, momentum=0.9, weight_decay=0.01, nesterov=True)",
        n -> new SgdMomentum(n, new SgdMomentum.Settings(0.9, 0.01, true, unlimited)));
    peers.put("Adam(p, lr=r)", n -> new Adam(n, new Adam.Settings(0.9, 0.999, 1e-8, 0, false)));
    peers.put(
        "Adam(p, lr=r, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.05)",
        n -> new Adam(n, new Adam.Settings(0.8, 0.95, 1e-6, 0.05, false)));
    peers.put(
        "AdamW(p, lr=r, weight_decay=0.01)",
        n -> new Adam(n, new Adam.Settings(0.9, 0.999, 1e-8, 1e-2, true)));
    peers.put("RMSprop(p, lr=r)", n -> new RmsProp(n, new RmsProp.Settings(0.99, 1e-8, 0, 0)));
    peers.put(
        "RMSprop(p, lr=r, alpha=0.9, eps=1e-6, momentum=0.7, weight_decay=0.02)",
        n -> new RmsProp(n, new RmsProp.Settings(0.9, 1e-6, 0.7, 0.02)));
    peers.put(
        "Adagrad(p, lr=r, weight_decay=0.02)",
        n -> new Adagrad(n, new Adagrad.Settings(1e-10, 0.02)));
    return peers;
  }

  @Test
  void updatesAsPyTorchDoes() throws Exception {
    // Only weights decay with us, so PyTorch is given the weights alone.
    String script =
        """
        import sys
        try:
            import torch
        except ImportError:
            sys.exit(77)
        r = %s
        for spec in sys.argv[1:]:
            w = torch.tensor([0.5 - 0.07 * i for i in range(%d)], dtype=torch.float64)
            w.requires_grad_()
            o = eval('torch.optim.' + spec.replace('(p,', '([w],'))
            for t in range(%d):
                w.grad = torch.tensor([((7 * i + 5 * t) %% 11 - 5) / 8 for i in range(%d)],
                                      dtype=torch.float64)
                o.step()
            print(' '.join('%%.17g' %% x for x in w.tolist()))
        """
            .formatted(RATE, WEIGHTS, STEPS, WEIGHTS);
    List<String> command = new ArrayList<>(List.of("/usr/bin/python3", "-c", script));
    command.addAll(peers().keySet());
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")), "there is no /usr/bin/python3");
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    int exit = process.waitFor();
    assumeTrue(exit != 77, "python3-torch is not installed");
    assertEquals(0, exit);
    int line = 0;
    for (Map.Entry<String, Function<Network, Optimizer>> peer : peers().entrySet()) {
      double[] expected =
          Arrays.stream(lines.get(line++).split(" ")).mapToDouble(Double::parseDouble).toArray();
      double[] actual = Arrays.copyOf(afterSteps(peer.getValue()), WEIGHTS);
      assertArrayEquals(expected, actual, 1e-12, peer.getKey());
    }
  }

  @Test
  void firstStepOfEachHasTheClosedForm() {
    double g = gradient(0, 0);
    double p = start(0);
    // Corrected means after one step are the gradient and its square.
    assertFirst(
        p - RATE * g / (Math.abs(g) + 1e-8),
        n -> new Adam(n, new Adam.Settings(0.9, 0.999, 1e-8, 0, false)));
    double root = Math.sqrt(0.01 * g * g) + 1e-8;
    assertFirst(p - RATE * g / root, n -> new RmsProp(n, new RmsProp.Settings(0.99, 1e-8, 0, 0)));
    assertFirst(
        p - RATE * g / (Math.abs(g) + 1e-10), n -> new Adagrad(n, new Adagrad.Settings(1e-10, 0)));
  }

  @Test
  void layerwiseRatesHaveTheClosedForm() {
    double size = norm(OptimizerTest::start);
    double slope = norm(i -> gradient(i, 0));
    double decay = 5e-4;
    double local = 0.001 * size / (slope + decay * size);
    double[] lars = afterOneStep(n -> new Lars(n, new Lars.Settings(0.9, 5e-4, 0.001)));
    double[] lamb = afterOneStep(n -> new Lamb(n, new Lamb.Settings(0.9, 0.999, 1e-6, 1e-2)));
    double length = norm(i -> gradient(i, 0) / (Math.abs(gradient(i, 0)) + 1e-6) + 0.01 * start(i));
    for (int i = 0; i < ALL; i++) {
      boolean weight = i < WEIGHTS;
      double g = gradient(i, 0);
      double p = start(i);
      double expectedLars = weight ? p - RATE * local * (g + decay * p) : p - RATE * g;
      assertEquals(expectedLars, lars[i], 1e-12, "LARS " + i);
      double step = g / (Math.abs(g) + 1e-6);
      double expectedLamb = weight ? p - RATE * size / length * (step + 0.01 * p) : p - RATE * step;
      assertEquals(expectedLamb, lamb[i], 1e-12, "LAMB " + i);
    }
  }

  @Test
  void restoredStateGoesOnBitwise() {
    for (Function<Network, Optimizer> method : methods()) {
      Map<String, byte[]> saved = new TreeMap<>();
      try (Network network = network();
          Optimizer optimizer = method.apply(network);
          Network other = network();
          Optimizer otherOptimizer = method.apply(other)) {
        step(network, optimizer, 0);
        step(network, optimizer, 1);
        optimizer
            .stateTree(Map.of())
            .tensors()
            .forEach((name, view) -> saved.put(name, view.data().toArray(ValueLayout.JAVA_BYTE)));
        otherOptimizer
            .stateTree(Map.of())
            .tensors()
            .forEach((name, view) -> view.data().copyFrom(MemorySegment.ofArray(saved.get(name))));
        step(network, optimizer, 2);
        step(other, otherOptimizer, 2);
        assertEquals(-1, network.parameterBuffer().mismatch(other.parameterBuffer()));
      }
    }
  }

  @Test
  void gradientsAreClippedScaledAndChecked() {
    try (Network network = network()) {
      setGradients(network, 0);
      double norm = Gradients.norm(network);
      Gradients.scale(network, 0.5);
      assertEquals(norm / 2, Gradients.clip(network, 0.1), 1e-12);
      assertEquals(0.1, Gradients.norm(network), 1e-12);
      assertEquals(0.1, Gradients.clip(network, 1), 1e-12);
      network.gradients().getFirst().data().setAtIndex(ValueLayout.JAVA_DOUBLE, 3, Double.NaN);
      assertTrue(Double.isNaN(Gradients.norm(network)));
      assertThrows(UsageException.class, () -> Gradients.clip(network, 0));
    }
  }

  private static List<Function<Network, Optimizer>> methods() {
    List<Function<Network, Optimizer>> methods = new ArrayList<>(peers().values());
    methods.add(n -> new Lars(n, new Lars.Settings(0.9, 5e-4, 0.001)));
    methods.add(n -> new Lamb(n, new Lamb.Settings(0.9, 0.999, 1e-6, 1e-2)));
    return methods;
  }

  private static void assertFirst(double expected, Function<Network, Optimizer> method) {
    assertEquals(expected, afterOneStep(method)[0], 1e-12);
  }

  private static double[] afterOneStep(Function<Network, Optimizer> method) {
    return after(method, 1);
  }

  private static double[] afterSteps(Function<Network, Optimizer> method) {
    return after(method, STEPS);
  }

  private static double[] after(Function<Network, Optimizer> method, int steps) {
    try (Network network = network();
        Optimizer optimizer = method.apply(network)) {
      for (int t = 0; t < steps; t++) {
        step(network, optimizer, t);
      }
      double[] values = new double[ALL];
      int at = 0;
      for (TensorView view : network.parameters()) {
        for (double value : Batches.numbers(view)) {
          values[at++] = value;
        }
      }
      return values;
    }
  }

  private static Network network() {
    Network network = Network.create(ENGINE, SPEC, new Seed(1), EXACT);
    int at = 0;
    for (TensorView view : network.parameters()) {
      for (long i = 0; i < view.shape().elements(); i++) {
        view.data().setAtIndex(ValueLayout.JAVA_DOUBLE, i, start(at++));
      }
    }
    return network;
  }

  private static void step(Network network, Optimizer optimizer, int t) {
    setGradients(network, t);
    optimizer.step(RATE);
  }

  private static void setGradients(Network network, int t) {
    int at = 0;
    for (TensorView view : network.gradients()) {
      for (long i = 0; i < view.shape().elements(); i++) {
        view.data().setAtIndex(ValueLayout.JAVA_DOUBLE, i, gradient(at++, t));
      }
    }
  }

  private static double start(int i) {
    return 0.5 - 0.07 * i;
  }

  private static double gradient(int i, int t) {
    return ((7 * i + 5 * t) % 11 - 5) / 8.0;
  }

  private static double norm(IntToDoubleFunction weight) {
    double sum = 0;
    for (int i = 0; i < WEIGHTS; i++) {
      sum += weight.applyAsDouble(i) * weight.applyAsDouble(i);
    }
    return Math.sqrt(sum);
  }
}
