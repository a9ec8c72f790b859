package dev.tandem.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Region;
import dev.tandem.nn.models.AlexNet;
import dev.tandem.nn.models.CaffeCifar;
import dev.tandem.nn.models.CosmoFlow;
import dev.tandem.nn.models.GoogLeNet;
import dev.tandem.nn.models.InceptionV3;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.models.TransformerEncoder;
import dev.tandem.nn.models.Vgg;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlannerTest {

  private static final Map<String, NetworkSpec> NETWORKS = networks();

  private static Map<String, NetworkSpec> networks() {
    Map<String, NetworkSpec> networks = new LinkedHashMap<>();
    networks.put("lenet", LeNet.spec(10));
    networks.put("caffe-cifar", CaffeCifar.spec(10));
    networks.put("resnet18-small", ResNet.small(18, 10));
    networks.put("resnet50", ResNet.spec(50, 1000));
    networks.put("vgg16", Vgg.sixteen(1000));
    networks.put("googlenet", GoogLeNet.spec(100, true));
    networks.put("inception-v3", InceptionV3.spec(100, true));
    networks.put("alexnet", AlexNet.spec(100));
    networks.put("transformer", TransformerEncoder.small(10));
    networks.put("cosmoflow", CosmoFlow.spec(64));
    return networks;
  }

  @Test
  void smallNetworksAreCutConsistently() {
    for (String words : List.of("filter=3", "channel=2", "alternate=2", "height=2,width=2")) {
      for (NetworkSpec network : SmallNetworks.all().values()) {
        checkCut(words, network);
      }
    }
  }

  @ParameterizedTest
  @Tag("slow")
  @ValueSource(
      strings = {
        "filter=2",
        "filter=3",
        "channel=2",
        "channel=4",
        "alternate=2",
        "alternate=3",
        "height=2",
        "height=3",
        "height=2,width=2",
        "width=3",
        "height=2,filter=2",
        "filter=2,channel=2",
        "data=2,filter=2"
      })
  void everyNetworkIsCutConsistently(String words) {
    NETWORKS.values().forEach(network -> checkCut(words, network));
  }

  private static void checkCut(String words, NetworkSpec network) {
    Mesh mesh = Meshes.of(words);
    for (Strategy strategy : List.of(Strategy.USUAL, Strategy.USUAL.eagerly())) {
      List<LocalNetwork> plans = Meshes.plans(network, mesh, strategy);
      checkParcels(mesh, plans);
      checkParameters(network, mesh, plans);
    }
  }

  /** What one rank sends another, that one expects. */
  private static void checkParcels(Mesh mesh, List<LocalNetwork> plans) {
    for (int node = 0; node < plans.getFirst().spec().nodes().size(); node++) {
      List<Exchange> exchanges = new ArrayList<>();
      for (LocalNetwork plan : plans) {
        if (plan.spec().nodes().get(node).layer() instanceof Exchange exchange) {
          exchanges.add(exchange);
        }
      }
      assertTrue(exchanges.isEmpty() || exchanges.size() == plans.size());
      for (boolean forward : new boolean[] {true, false}) {
        checkParcels(mesh, exchanges, forward);
      }
    }
  }

  private static void checkParcels(Mesh mesh, List<Exchange> exchanges, boolean forward) {
    Map<List<Integer>, Long> sent = new HashMap<>();
    Map<List<Integer>, Long> taken = new HashMap<>();
    Set<Movement.Collective> collectives = new HashSet<>();
    for (int rank = 0; rank < exchanges.size(); rank++) {
      Exchange exchange = exchanges.get(rank);
      Movement movement = forward ? exchange.forward() : exchange.backward();
      collectives.add(movement.collective());
      int base = rank;
      List<Integer> group =
          exchange.transfer().size() == 1 ? List.of(rank) : groupOf(mesh, base, exchange);
      movement
          .outgoing()
          .forEach(
              parcel -> sent.put(List.of(base, group.get(parcel.peer())), parcel.elements(12)));
      movement
          .incoming()
          .forEach(
              parcel -> taken.put(List.of(group.get(parcel.peer()), base), parcel.elements(12)));
    }
    assertEquals(sent, taken);
    assertTrue(collectives.size() <= 1, collectives.toString());
  }

  private static List<Integer> groupOf(Mesh mesh, int rank, Exchange exchange) {
    String axes = exchange.name().substring(exchange.name().indexOf('>') + 2);
    return mesh.group(rank, Set.of(axes.substring(0, axes.indexOf(' ')).split("\\+", -1)));
  }

  /** Ranks together hold every element, copies as often as the plan says. */
  private static void checkParameters(NetworkSpec network, Mesh mesh, List<LocalNetwork> plans) {
    List<ParameterSpec> all = new ArrayList<>(network.parameters());
    all.addAll(network.buffers());
    for (ParameterSpec parameter : all) {
      long held = 0;
      long copies = 0;
      for (LocalNetwork plan : plans) {
        Region region = plan.regions().get(parameter.name());
        if (region != null) {
          copies =
              plan.copies().get(parameter.name()).stream()
                  .mapToLong(mesh::size)
                  .reduce(mesh.size(Mesh.DATA), (a, b) -> a * b);
          assertEquals(parameter.shape(), region.whole(), parameter.name());
          held += region.local().elements();
        }
      }
      assertEquals(parameter.shape().elements() * copies, held, parameter.name());
    }
    for (LocalNetwork plan : plans) {
      plan.spec()
          .parameters()
          .forEach(
              parameter ->
                  assertEquals(
                      parameter.shape(),
                      plan.regions().get(parameter.name()).local(),
                      parameter.name()));
    }
  }

  @Test
  void oneRankHasTheWholeNetwork() {
    NetworkSpec network = NETWORKS.get("resnet18-small");
    LocalNetwork plan = Meshes.plans(network, new Mesh(List.of()), Strategy.USUAL).getFirst();
    assertEquals(network, plan.spec());
  }

  /** Of conv, norm, activation, conv only one tensor with margins is kept. */
  @Test
  void activationsWorkOnMargins() {
    NetworkSpec network = NETWORKS.get("resnet18-small");
    LocalNetwork plan = Meshes.plans(network, Meshes.of("height=2"), Strategy.USUAL).getFirst();
    assertTrue(plan.tensors().get("layer1.0.1.relu").margins());
    // Its output is also added to what comes later: there margins must not be.
    assertFalse(plan.tensors().get("relu1").margins());
  }

  @Test
  void elementsThatTravel() {
    // Elements per sample, all ranks, one direction (specification of strategies, section 4).
    assertEquals(960, halo("lenet", 2));
    assertEquals(2880, halo("lenet", 4));
    assertEquals(6656, halo("caffe-cifar", 2));
    assertEquals(59_392, halo("resnet18-small", 2));
    assertEquals(178_176, halo("resnet18-small", 4));
    assertEquals(121_856, halo("resnet50", 2));
    assertEquals(265_216, halo("vgg16", 2));
    assertEquals(838_656, halo("vgg16", 4));
  }

  private static long halo(String name, int ranks) {
    Mesh mesh = Meshes.of("height=" + ranks);
    long elements = 0;
    for (LocalNetwork plan : Meshes.plans(NETWORKS.get(name), mesh, Strategy.USUAL)) {
      for (NetworkSpec.Node node : plan.spec().nodes()) {
        if (node.layer() instanceof Exchange exchange
            && exchange.forward().collective() == Movement.Collective.EXCHANGE) {
          for (Movement.Parcel parcel : exchange.forward().outgoing()) {
            elements += parcel.peer() == exchange.transfer().rank() ? 0 : parcel.elements(1);
          }
        }
      }
    }
    return elements;
  }
}
