package dev.tandem.parallel.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Region;
import dev.tandem.core.Shape;
import dev.tandem.nn.models.CaffeCifar;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.models.Vgg;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.Movement.Collective;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkSpec.Node;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.cost.PlanTraffic.Kind;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers of elements of known networks, worked out by hand, against plans. */
class ClosedFormTest {

  private static NetworkSpec network(String name) {
    return switch (name) {
      case "lenet" -> LeNet.spec(10);
      case "caffe-cifar" -> CaffeCifar.spec(10);
      case "resnet18-small" -> ResNet.small(18, 10);
      case "resnet50" -> ResNet.spec(50, 1000);
      case "vgg16" -> Vgg.sixteen(1000);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static List<LocalNetwork> plans(NetworkSpec network, Mesh mesh) {
    List<LocalNetwork> plans = new ArrayList<>();
    for (int rank = 0; rank < mesh.size(); rank++) {
      PlannedGroups groups = PlannedGroups.onOneHost(mesh, rank);
      plans.add(Planner.plan(network, mesh, Strategy.USUAL, rank, groups::transfer));
    }
    return plans;
  }

  private static Stream<Exchange> exchanges(LocalNetwork plan) {
    return plan.spec().nodes().stream()
        .map(Node::layer)
        .filter(Exchange.class::isInstance)
        .map(Exchange.class::cast);
  }

  /**
   * Of one sample: parameters; outputs of layers with weights, their inputs but the first's; the
   * distinct tensors that are gathered for filters.
   */
  @ParameterizedTest
  @CsvSource({
    "lenet,            431080,    15230,    4180,    4180",
    "caffe-cifar,       89578,    45066,   11264,   11264",
    "resnet18-small, 11173962,   614410,  664064,  549376",
    "resnet50,       25557032, 11114984, 10513920, 8908288",
    "vgg16,         138357544, 13556712,  8964608, 8964608"
  })
  void filters(String name, long weights, long outputs, long inputs, long gathered) {
    NetworkSpec network = network(name);
    Map<String, Shape> shapes = network.shapes();
    List<Node> weighted =
        network.nodes().stream()
            .filter(
                node ->
                    node.layer() instanceof Convolution || node.layer() instanceof FullyConnected)
            .toList();
    assertEquals(weights, network.parameterCount());
    assertEquals(outputs, elements(weighted.stream().map(Node::name).toList(), shapes));
    assertEquals(
        inputs,
        elements(weighted.stream().skip(1).map(node -> node.inputs().getFirst()).toList(), shapes));
    Mesh mesh = Mesh.of(new Mesh.Axis("filter", 2));
    for (LocalNetwork plan : plans(network, mesh)) {
      long sum =
          exchanges(plan)
              .filter(each -> each.forward().collective() == Collective.ALLGATHER)
              .filter(each -> each.backward().collective() == Collective.REDUCE_SCATTER)
              .mapToLong(
                  each ->
                      each.forward().incoming().stream()
                          .mapToLong(parcel -> parcel.elements(1))
                          .sum())
              .sum();
      assertEquals(gathered, sum, name);
    }
    sends(network, mesh, gathered);
  }

  /** Over messages 2 u d B sum(x), and for the answers u d B classes; parts are even. */
  private static void sends(NetworkSpec network, Mesh mesh, long gathered) {
    int samples = 4;
    PlannedGroups groups = TrafficTest.groups(mesh, 0, false);
    PlanTraffic traffic =
        PlanTraffic.of(
            Planner.plan(network, mesh, Strategy.USUAL, 0, groups::transfer),
            groups,
            PlannedStep.of(samples));
    long classes = network.shapes().get(network.outputs().getFirst().layer()).elements();
    assertEquals(
        (gathered + classes) * samples * Float.BYTES / 2, traffic.total(Kind.FORWARD).bytesSent());
    assertEquals(gathered * samples * Float.BYTES / 2, traffic.total(Kind.BACKWARD).bytesSent());
    assertEquals(0, traffic.total(Kind.GRADIENTS).bytesSent());
  }

  private static long elements(List<String> tensors, Map<String, Shape> shapes) {
    return tensors.stream().mapToLong(tensor -> shapes.get(tensor).elements()).sum();
  }

  /** Of one sample, in one direction, of all ranks; and the parameters that all ranks sum. */
  @ParameterizedTest
  @CsvSource({
    "lenet,             960,   2880,    25570",
    "caffe-cifar,      6656,  20992,    79328",
    "resnet18-small,  59392, 178176, 11168832",
    "resnet50,       121856, 387072, 23508032",
    "vgg16,          265216, 838656, 14714688"
  })
  void halos(String name, long ofTwo, long ofFour, long summed) {
    NetworkSpec network = network(name);
    assertEquals(ofTwo, halo(plans(network, Mesh.of(new Mesh.Axis("height", 2)))), name);
    List<LocalNetwork> four = plans(network, Mesh.of(new Mesh.Axis("height", 4)));
    assertEquals(ofFour, halo(four), name);
    LocalNetwork first = four.getFirst();
    long sums =
        network.parameters().stream()
            .map(ParameterSpec::name)
            .filter(parameter -> first.sums().get(parameter).equals(Set.of("height")))
            .map(first.regions()::get)
            .map(Region::whole)
            .mapToLong(Shape::elements)
            .sum();
    assertEquals(summed, sums, name);
  }

  private static long halo(List<LocalNetwork> plans) {
    long elements = 0;
    for (int i = 0; i < plans.size(); i++) {
      int rank = i;
      elements +=
          exchanges(plans.get(rank))
              .filter(each -> each.forward().collective() == Collective.EXCHANGE)
              .flatMap(each -> each.forward().outgoing().stream())
              .filter(parcel -> parcel.peer() != rank)
              .mapToLong(parcel -> parcel.elements(1))
              .sum();
    }
    return elements;
  }
}
