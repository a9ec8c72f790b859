package dev.tandem.nn.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Shape;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.models.ResNet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayerCostTest {

  @Test
  void countedByHand() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(2, 8, 8));
    network.add(new Convolution("conv", 4, 3, 1, 1));
    network.add(new MaxPool("pool", Window.of(2).withStride(2), false));
    network.add(Activation.relu("relu"));
    network.add(new Flatten("flatten"));
    network.add(new FullyConnected("scores", 10, true));
    List<LayerCost> costs = LayerCost.of(network.build(), Set.of());
    assertEquals(4 * 2 * 9 + 4, costs.get(0).parameters());
    // 18 products and as many sums, and the bias, for each of 4 x 8 x 8 values.
    assertEquals((2 * 18 + 1) * 4 * 64, costs.get(0).forward());
    assertEquals(costs.get(0).forward(), costs.get(0).backward(), "no gradient by the images");
    assertEquals(4 * 4 * 16, costs.get(1).forward());
    assertEquals(0, costs.get(3).activations(), "a view");
    assertEquals(64 * 10 * 2 + 10, costs.get(4).forward());
    assertEquals(2 * costs.get(4).forward(), costs.get(4).backward());

    List<LayerCost> frozen = LayerCost.of(network.build(), Set.of("conv"));
    assertEquals(
        List.of(0L, 0L, 0L, 0L, costs.get(4).forward()),
        frozen.stream().map(LayerCost::backward).toList());
  }

  @Test
  void knownNetworks() {
    for (NetworkSpec network : List.of(LeNet.spec(10), ResNet.spec(50, 1000))) {
      assertEquals(
          network.parameterCount(),
          LayerCost.sum(LayerCost.of(network, Set.of()), LayerCost::parameters));
    }
    // 4.1 billion multiplications with an addition each, as torchvision counts them.
    double resnet50 =
        LayerCost.sum(LayerCost.of(ResNet.spec(50, 1000), Set.of()), LayerCost::forward) / 2e9;
    assertEquals(4.1, resnet50, 0.15);
  }
}
