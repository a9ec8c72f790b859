package dev.tandem.nn.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.DigitsNetwork;
import java.util.List;
import org.junit.jupiter.api.Test;

class NetworkSpecTest {

  @Test
  void shapesAndParametersFollowFromTheLayers() {
    NetworkSpec spec = DigitsNetwork.spec();
    assertEquals(10, spec.classes());
    assertEquals(29_066, spec.parameterCount());
    assertEquals(Shape.of(64, 3, 3), spec.layerInputs().get(9).getFirst());
    assertEquals(
        List.of(
            "conv1.weight",
            "conv1.bias",
            "conv2.weight",
            "conv2.bias",
            "conv3.weight",
            "conv3.bias",
            "scores.weight",
            "scores.bias"),
        spec.parameters().stream().map(ParameterSpec::name).toList());
    assertEquals(Shape.of(32, 16, 3, 3), spec.parameters().get(2).shape());
  }

  @Test
  void whatDoesNotFitNamesLayerAndShapes() {
    Shape image = Shape.of(1, 4, 4);
    refuses(
        "layer conv: its window [7, 7] is larger than its input [1, 4, 4] with padding [1, 1]",
        image,
        new Convolution("conv", 2, 7, 1, 1));
    refuses(
        "layer mean: its window [4, 4, 4] is larger than its input [1, 3, 4, 4], padding apart",
        Shape.of(1, 3, 4, 4),
        new AveragePool("mean", Window.of(4).withPadding(1), false));
    refuses(
        "layer scores takes rows (features) or sequences (tokens, features), not [1, 4, 4]: put a"
            + " flatten layer before it",
        image,
        new FullyConnected("scores", 2));
    refuses(
        "layer mean takes images (channels, height, width) or volumes (channels, depth, height,"
            + " width), not [16]",
        image,
        new Flatten("flatten"),
        GlobalPool.average("mean"));
    refuses(
        "layer pool takes images (channels, height, width) or volumes (channels, depth, height,"
            + " width), not [16]",
        image,
        new Flatten("flatten"),
        new MaxPool("pool", 2, 2));
    refuses("two layers are named twin", image, Activation.relu("twin"), new Flatten("twin"));
    refuses(
        "a network ends with one score for each class, this one with [1, 4, 4] behind"
            + " layer relu",
        image,
        Activation.relu("relu"));
    var e = assertThrows(UsageException.class, () -> new Convolution("conv", 0, 3, 1, 1));
    assertEquals("layer conv: filters is 0, expected 1 or more", e.getMessage());
  }

  private static void refuses(String message, Shape input, LayerSpec... layers) {
    var e = assertThrows(UsageException.class, () -> NetworkSpec.of(input, layers));
    assertEquals(message, e.getMessage());
  }
}
