package dev.tandem.nn.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Network;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.weights.Answers;
import dev.tandem.nn.weights.PixelNormalisation;
import dev.tandem.nn.weights.Weights;
import dev.tandem.testkit.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several networks in one file, as ONNX Runtime computes it. */
class EnsembleExportTest {

  private static final int BATCH = 3;

  @TempDir Path folder;

  private final Seed seed = TestSeed.of(EnsembleExportTest.class);

  private static NetworkSpec plain(int classes, long... input) {
    return NetworkSpec.of(
        Shape.of(input), new Flatten("flat"), new FullyConnected("answer", classes));
  }

  private static NetworkSpec convolution(int classes, long... input) {
    return NetworkSpec.of(
        Shape.of(input),
        new Convolution("convolution", 4, 3, 1, 0),
        Activation.relu("relu"),
        new Flatten("flat"),
        new FullyConnected("answer", classes));
  }

  @Test
  void theGraphAveragesProbabilitiesOfDifferentNetworks() throws Exception {
    List<NetworkSpec> specs = List.of(plain(5, 2, 6, 7), convolution(5, 2, 6, 7));
    double[] shares = {0.3, 0.7};
    float[] samples = Answers.samples(specs.getFirst(), seed, BATCH);
    double[] expected = new double[BATCH * 5];
    float[] actual = written(specs, shares, Optional.empty(), samples, expected, true);
    assertEqual(expected, actual);
  }

  @Test
  void theGraphAveragesValues() throws Exception {
    List<NetworkSpec> specs =
        List.of(
            plain(2, 9).withLoss(LossKind.MEAN_SQUARED_ERROR),
            plain(2, 9).withLoss(LossKind.MEAN_SQUARED_ERROR));
    float[] samples = Answers.samples(specs.getFirst(), seed, BATCH);
    double[] expected = new double[BATCH * 2];
    float[] actual =
        written(specs, new double[] {0.5, 0.5}, Optional.empty(), samples, expected, false);
    assertEqual(expected, actual);
  }

  @Test
  void eachMemberNormalisesPixelsItself() throws Exception {
    List<NetworkSpec> specs = List.of(plain(4, 1, 5, 5), convolution(4, 1, 5, 5));
    float[] samples = Answers.samples(specs.getFirst(), seed, BATCH);
    float[] pixels = new float[samples.length];
    for (int i = 0; i < samples.length; i++) {
      pixels[i] = (samples[i] * 0.5f + 0.25f) * 255;
    }
    double[] expected = new double[BATCH * 4];
    PixelNormalisation normalisation = new PixelNormalisation(List.of(0.25), List.of(0.5));
    List<OnnxFile.Member> members = new ArrayList<>();
    List<Network> networks = networks(specs);
    for (int i = 0; i < specs.size(); i++) {
      add(expected, Answers.of(networks.get(i), samples), 4, 0.5, true);
      members.add(member(networks.get(i), specs.get(i), Optional.of(normalisation), 0.5));
    }
    Path file = folder.resolve("pixels.onnx");
    OnnxFile.writeEnsemble(file, members, Map.of());
    assertEqual(expected, OnnxRuntime.answers(file, specs.getFirst(), pixels, BATCH));
    networks.forEach(Network::close);
  }

  @Test
  void membersThatDoNotFitAreRefusedInOneLine() {
    List<NetworkSpec> other = List.of(plain(5, 2, 6, 7), plain(5, 2, 6, 8));
    UsageException input =
        assertThrows(UsageException.class, () -> write(other, new double[] {0.5, 0.5}));
    assertTrue(input.getMessage().contains("member 2 takes samples of"), input.getMessage());
    List<NetworkSpec> classes = List.of(plain(5, 2, 6, 7), plain(6, 2, 6, 7));
    UsageException answers =
        assertThrows(UsageException.class, () -> write(classes, new double[] {0.5, 0.5}));
    assertTrue(answers.getMessage().contains("member 2 answers 6"), answers.getMessage());
  }

  private void write(List<NetworkSpec> specs, double[] shares) throws Exception {
    written(specs, shares, Optional.empty(), new float[0], new double[0], true);
  }

  private float[] written(
      List<NetworkSpec> specs,
      double[] shares,
      Optional<PixelNormalisation> pixels,
      float[] samples,
      double[] expected,
      boolean classes)
      throws Exception {
    List<Network> networks = networks(specs);
    try {
      List<OnnxFile.Member> members = new ArrayList<>();
      for (int i = 0; i < specs.size(); i++) {
        members.add(member(networks.get(i), specs.get(i), pixels, shares[i]));
        int width = specs.get(i).classes();
        add(expected, Answers.of(networks.get(i), samples), width, shares[i], classes);
      }
      Path file = folder.resolve("ensemble.onnx");
      OnnxFile.writeEnsemble(file, members, Map.of("classes", "[]"));
      return OnnxRuntime.answers(file, specs.getFirst(), samples, BATCH);
    } finally {
      networks.forEach(Network::close);
    }
  }

  private List<Network> networks(List<NetworkSpec> specs) {
    List<Network> networks = new ArrayList<>();
    for (int i = 0; i < specs.size(); i++) {
      networks.add(Answers.network(specs.get(i), seed.derive(i)));
    }
    return networks;
  }

  private static OnnxFile.Member member(
      Network network, NetworkSpec spec, Optional<PixelNormalisation> pixels, double share) {
    return new OnnxFile.Member(spec, Weights.of(network), pixels, share);
  }

  private static void add(double[] sum, float[] answers, int width, double share, boolean classes) {
    for (int from = 0; from < answers.length; from += width) {
      double total = 0;
      for (int i = from; i < from + width; i++) {
        total += Math.exp(answers[i]);
      }
      for (int i = from; i < from + width; i++) {
        sum[i] += share * (classes ? Math.exp(answers[i]) / total : answers[i]);
      }
    }
  }

  private static void assertEqual(double[] expected, float[] actual) {
    assertEquals(expected.length, actual.length);
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], actual[i], 1e-5 * Math.max(1, Math.abs(expected[i])), "at " + i);
    }
  }
}
