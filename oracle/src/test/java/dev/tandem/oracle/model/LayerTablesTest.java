package dev.tandem.oracle.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Shape;
import dev.tandem.nn.models.CosmoFlow;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.models.Vgg;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.Window;
import dev.tandem.oracle.model.LayerTable.Row;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Our counts are those of the published layer tables, layer by layer. The tables say less than we
 * do, by these rules:
 *
 * <ul>
 *   <li>They count a multiplication and the addition after it as one, we as two; they leave out
 *       adding the bias, which we count as one operation for each output.
 *   <li>They count convolutions and fully connected layers only; ours for the rest are below 3%.
 *   <li>Their normalisations have parameters as ours; running statistics are buffers, in neither.
 *   <li>They have no row for Flatten, which keeps no activations either.
 *   <li>The first input of a sum is its input; the others have the same size.
 * </ul>
 *
 * <p>The networks of torchvision are ours as they are. Chainer's are others in fact: images of 226
 * pixels, maxima without padding whose last window may fit only partly; and in ResNets a bias in
 * the first convolution, and blocks that move by 2 in their first convolution, not in the second.
 * ParaDL's own description of CosmoFlow has other windows than the program that was measured, which
 * is ours.
 */
class LayerTablesTest {

  private static final Pattern BLOCK =
      Pattern.compile("layer(\\d)\\.(\\d+)\\.((\\d|shortcut)\\.)?(conv|bn|relu|add)");

  private static final int LETTERS = 26;
  private static final int SHORTCUT = 4;
  private static final int LAST_RELU = 3;

  @ParameterizedTest
  @CsvSource({
    "resnet50_torchvision224, 25557032",
    "resnet152_torchvision224, 60192808",
    "vgg16_torchvision224, 138357544",
    "resnet50_chainer226, 25557096",
    "resnet152_chainer226, 60192872",
    "vgg16_chainer226, 169814824",
    "cosmoflow_chainer256, 8946116",
    "cosmoflow_chainer512, 34636228",
    "cosmoflow_paradlnet512, 2130372"
  })
  void countsAreThoseOfTheTable(String table, long parameters) {
    NetworkSpec network = network(table);
    Map<String, Row> rows = LayerTable.read(table);
    List<LayerCost> costs = LayerCost.of(network, Set.of());
    Map<String, Shape> shapes = network.shapes();
    Set<String> seen = new HashSet<>();
    long others = 0;
    for (int i = 0; i < costs.size(); i++) {
      LayerCost cost = costs.get(i);
      if (network.nodes().get(i).layer() instanceof Flatten) {
        assertEquals(0, cost.activations(), cost.name());
        continue;
      }
      Row row = rows.get(tableName(cost));
      assertTrue(row != null && seen.add(row.name()), cost.name());
      assertEquals(row.type(), type(cost), row.name());
      assertEquals(extents(row.output()), extents(cost.output()), row.name());
      assertEquals(row.weights() + row.biases(), cost.parameters(), row.name());
      assertEquals(row.outputs(), cost.activations(), row.name());
      assertEquals(row.inputs(), shapes.get(cost.inputs().getFirst()).elements(), row.name());
      if (row.products() > 0) {
        long biases = row.biases() > 0 ? row.outputs() : 0;
        assertEquals(2 * row.products() + biases, cost.forward(), row.name());
      } else {
        others += cost.forward();
      }
    }
    assertEquals(rows.keySet(), seen);
    assertEquals(parameters, LayerCost.sum(costs, LayerCost::parameters));
    assertEquals(parameters, rows.values().stream().mapToLong(r -> r.weights() + r.biases()).sum());
    assertTrue(others < 0.03 * LayerCost.sum(costs, LayerCost::forward), others + " operations");
  }

  private static NetworkSpec network(String table) {
    String[] parts = table.split("_", -1);
    NetworkSpec builtIn =
        switch (parts[0]) {
          case "resnet50" -> ResNet.spec(50, 1000);
          case "resnet152" -> ResNet.spec(152, 1000);
          case "vgg16" -> Vgg.sixteen(1000);
          default -> CosmoFlow.spec(Integer.parseInt(parts[1].replaceAll("\\D", "")));
        };
    return switch (parts[1]) {
      case "chainer226" ->
          changed(builtIn, LayerTablesTest::chainer).withInput(Shape.of(3, 226, 226));
      case "paradlnet512" -> changed(builtIn, LayerTablesTest::paradlNet);
      default -> builtIn;
    };
  }

  private static NetworkSpec changed(NetworkSpec network, UnaryOperator<LayerSpec> change) {
    List<Node> nodes =
        network.nodes().stream()
            .map(node -> new Node(change.apply(node.layer()), node.inputs()))
            .toList();
    return new NetworkSpec(network.input(), nodes, network.outputs(), network.loss());
  }

  private static LayerSpec chainer(LayerSpec layer) {
    return switch (layer) {
      case MaxPool pool -> new MaxPool(pool.name(), pool.window().withPadding(0), true);
      case Convolution first when first.name().equals("conv1.conv") ->
          new Convolution(first.name(), first.filters(), first.window(), first.groups(), true);
      case Convolution first when first.name().matches("layer[2-4]\\.0\\.1\\.conv") ->
          moving(first, 2);
      case Convolution second when second.name().matches("layer[2-4]\\.0\\.2\\.conv") ->
          moving(second, 1);
      default -> layer;
    };
  }

  /** conv3 moves by 2, conv4 by 1, and no convolution pads. */
  private static LayerSpec paradlNet(LayerSpec layer) {
    return switch (layer) {
      case Convolution convolution -> {
        Window window = convolution.window().withPadding(0);
        Convolution unpadded =
            new Convolution(
                convolution.name(), convolution.filters(), window, convolution.groups(), false);
        yield moving(unpadded, convolution.name().equals("conv3") ? 2 : 1);
      }
      default -> layer;
    };
  }

  private static Convolution moving(Convolution convolution, int stride) {
    return new Convolution(
        convolution.name(),
        convolution.filters(),
        convolution.window().withStride(stride),
        convolution.groups(),
        convolution.bias());
  }

  /** Without extents of 1 at the end: the tables cannot tell whether they are there. */
  private static List<Long> extents(Shape shape) {
    int end = shape.extents().size();
    while (end > 1 && shape.extents().get(end - 1) == 1) {
      end--;
    }
    return shape.extents().subList(0, end);
  }

  /** layer1.0.shortcut.conv is res2a_conv4_shortcut, conv1_1.relu is relu1_1. */
  private static String tableName(LayerCost cost) {
    String name = cost.name();
    if (cost.kind().equals("global-average-pool")) {
      return "avgpool";
    }
    Matcher block = BLOCK.matcher(name);
    if (block.matches()) {
      int number = Integer.parseInt(block.group(2));
      String letter = number < LETTERS ? String.valueOf((char) ('a' + number)) : "b" + number;
      String of = "res" + (Integer.parseInt(block.group(1)) + 1) + letter + "_" + block.group(5);
      String place = block.group(4);
      return switch (block.group(5)) {
        case "add" -> of;
        case "relu" -> of + (place == null ? LAST_RELU : place);
        default ->
            place.equals("shortcut")
                ? of + SHORTCUT + (block.group(5).equals("conv") ? "_shortcut" : "")
                : of + place;
      };
    }
    return switch (name) {
      case "conv1.conv" -> "conv1";
      case "conv1.bn" -> "bn1";
      default ->
          name.replaceFirst("^conv(\\d_\\d)\\.relu$", "relu$1")
              .replaceFirst("^fc(\\d)\\.relu$", "relu$1")
              .replaceFirst("^fc(\\d)\\.dropout$", "drop$1");
    };
  }

  private static String type(LayerCost cost) {
    return switch (cost.kind()) {
      case "convolution" -> cost.output().extents().size() == 3 ? "conv2d" : "conv3d";
      case "fully-connected" -> "fc";
      case "batch-norm" -> "batchnorm";
      case "leaky-relu" -> "leaky_relu";
      case "max-pool" -> "maxpool";
      case "average-pool", "global-average-pool" -> "avgpool";
      default -> cost.kind();
    };
  }
}
