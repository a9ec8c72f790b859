package dev.tandem.nn.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Shape;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.nn.models.PublishedModels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworkYamlTest {

  @Test
  void readsTheDigitsNetwork(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("digits.yaml");
    Files.writeString(
        file,
        """
        input: [1, 28, 28]
        layers:
          - {name: conv1, type: convolution, filters: 16, kernel: 3, padding: 1}
          - {name: pool1, type: max-pool, kernel: 2, stride: 2}
          - {name: relu1, type: relu}
          - {name: conv2, type: convolution, filters: 32, kernel: [3, 3], padding: 1}
          - {name: pool2, type: max-pool, kernel: 2, stride: 2}
          - {name: relu2, type: relu}
          - {name: conv3, type: convolution, filters: 64, kernel: 3, padding: [1, 1]}
          - {name: pool3, type: max-pool, kernel: 2, stride: 2}
          - {name: relu3, type: relu}
          - {name: flatten, type: flatten}
          - {name: scores, type: fully-connected, outputs: 10}
        """);
    NetworkSpec read = NetworkYaml.read(file);
    assertEquals(DigitsNetwork.spec().parameters(), read.parameters());
    assertEquals(DigitsNetwork.spec().outputs(), read.outputs());
  }

  @Test
  void readsEveryKindOfLayer() {
    NetworkSpec spec = everyKind();
    assertEquals(LossKind.MEAN_SQUARED_ERROR, spec.loss());
    assertEquals(Shape.of(16, 4, 4), spec.shapes().get("all"));
    assertEquals(3, spec.classes());
    assertEquals(0.5, spec.outputs().get(1).weight());
    assertEquals(new BatchNorm("bn", 0.2, 1e-4), spec.nodes().get(1).layer());
  }

  @Test
  void whatIsWrittenIsReadAsTheSameNetwork() {
    assertReadBack(everyKind());
    PublishedModels.all().values().forEach(NetworkYamlTest::assertReadBack);
  }

  @Test
  void namesThatYamlWouldTakeForSomethingElseAreRead() {
    for (String name : List.of("no", "1.10", "NULL", "a: b", "{x}", "q\"\\\n", "é", "- a", "#")) {
      assertReadBack(
          NetworkSpec.of(Shape.of(4), new FullyConnected(name, 3), new LayerNorm("last", 0.1)));
    }
  }

  @Test
  void windowsKeepTheirNumbers() {
    Window window = Window.of(3, 1).withStride(2).withPadding(1, 0).withDilation(1, 2);
    assertReadBack(
        NetworkSpec.of(
            Shape.of(4, 9, 9),
            new Convolution("conv", 6, window, 2, false),
            new MaxPool("max", Window.of(2), true),
            new LocalResponseNorm("lrn", 3, 1e-7, 0.5, 2, LocalResponseNorm.Across.SPACE),
            GlobalPool.max("all")));
  }

  private static void assertReadBack(NetworkSpec spec) {
    String text = NetworkYaml.write(spec);
    assertEquals(spec, NetworkYaml.parse("written", text), text);
  }

  private static NetworkSpec everyKind() {
    return NetworkYaml.parse(
        "test",
        """
        input: [4, 8, 8]
        loss: mean-squared-error
        layers:
          - {name: conv, type: convolution, filters: 8, kernel: 3, padding: 1, groups: 2,
             stride: 1, dilation: 1, bias: false}
          - {name: bn, type: batch-norm, momentum: 0.2, epsilon: 1e-4}
          - {name: leaky, type: leaky-relu, slope: 0.1}
          - {name: gn, type: group-norm, groups: 4}
          - {name: silu, type: silu}
          - {name: sum, type: add, inputs: [leaky, silu]}
          - {name: lrn, type: local-response-norm, size: 3, across: space}
          - {name: pool, type: average-pool, kernel: 3, stride: 2, ceil: true}
          - {name: all, type: concatenation, inputs: [pool, pool]}
          - {name: tokens, type: tokens}
          - {name: positions, type: positions}
          - {name: ln, type: layer-norm}
          - {name: attention, type: self-attention, heads: 4}
          - {name: gelu, type: gelu}
          - {name: mean, type: token-mean}
          - {name: drop, type: dropout, probability: 0.1}
          - {name: tanh, type: tanh}
          - {name: fc, type: fully-connected, outputs: 3, bias: false}
          - {name: sigmoid, type: sigmoid}
          - {name: gmax, type: global-max-pool, inputs: all}
          - {name: gmean, type: global-average-pool, inputs: all}
          - {name: both, type: add, inputs: [gmax, gmean]}
          - {name: help, type: fully-connected, outputs: 3}
        outputs:
          - {layer: sigmoid}
          - {layer: help, weight: 0.5}
        """);
  }

  @Test
  void mistakesAreOneLineThatNamesTheLayer() {
    refuses(
        "net.yaml:3: layer a: unknown type 'convolutoin'; known: add, average-pool, batch-norm",
        "{name: a, type: convolutoin}");
    refuses("net.yaml:3: layer a: type is missing", "{name: a}");
    refuses(
        "net.yaml:3: layer a: unknown key 'filter'",
        "{name: a, type: convolution, filters: 2, kernel: 3, filter: 4}");
    refuses("net.yaml:3: layer a: kernel is missing", "{name: a, type: convolution, filters: 2}");
    refuses(
        "net.yaml:3: layer a: filters is \"many\", expected an integer",
        "{name: a, type: convolution, filters: many, kernel: 3}");
    refuses(
        "net.yaml:3: layer a: kernel is 0, expected 1 or more",
        "{name: a, type: convolution, filters: 2, kernel: 0}");
    refuses(
        "net.yaml:3: layer a: its window [9, 9] is larger than its input [1, 4, 4] with padding"
            + " [0, 0]",
        "{name: a, type: max-pool, kernel: 9}");
    refuses(
        "net.yaml:4: layer b adds inputs of one shape, not [1, 4, 4] and [16]",
        "{name: a, type: flatten}\n  - {name: b, type: add, inputs: [input, a]}");
    refuses(
        "net.yaml:3: layer a: its input 'nowhere' is no layer before it",
        "{name: a, type: relu, inputs: nowhere}");
    refuses(
        "net.yaml:3: layer a leads to no output",
        "{name: a, type: relu}\n  - {name: b, type: flatten, inputs: input}");
    refuses(
        "net.yaml:3: layer a: across is \"time\", expected one of channels, space",
        "{name: a, type: local-response-norm, across: time}");
    refuses("net.yaml:4: expected the node content", "{name: a, type: [");
    var e = assertThrows(TandemException.class, () -> NetworkYaml.read(Path.of("/no/such/file")));
    assertTrue(e.getMessage().contains("/no/such/file"), e.getMessage());
  }

  private static void refuses(String beginning, String layers) {
    String text = "input: [1, 4, 4]\nlayers:\n  - " + layers + "\n";
    var e = assertThrows(UsageException.class, () -> NetworkYaml.parse("net.yaml", text));
    assertTrue(e.getMessage().startsWith(beginning), e.getMessage());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }
}
