package dev.tandem.parallel;

import static org.junit.jupiter.api.Assertions.fail;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.strategy.Strategy;
import dev.tandem.testkit.TestSeed;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Layers with modes that nobody would choose still compute what the whole network does. */
class RandomModesTest {

  private static final List<String> WORDS =
      List.of("whole", "data", "spatial", "filter", "channel", "alternate", "follow");
  private static final List<String> MESHES =
      List.of(
          "filter=2",
          "height=3",
          "channel=3",
          "height=2,filter=2",
          "filter=2,height=2",
          "height=2,width=2",
          "filter=2,channel=2");

  @Test
  void aSmallNetwork() throws Exception {
    check("lenet", MESHES.subList(3, 5), 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"lenet", "resnet", "vgg", "inception", "cosmoflow", "transformer", "responses"})
  @Tag("slow")
  void manyModes(String network) throws Exception {
    check(network, MESHES, 6);
  }

  private static void check(String name, List<String> meshes, int rounds) throws Exception {
    Seed seed = TestSeed.of(RandomModesTest.class);
    SplittableRandom random = seed.random();
    NetworkSpec network = SmallNetworks.all().get(name);
    SplitNetworks networks = new SplitNetworks(network, seed, 5, 2);
    for (int round = 0; round < rounds; round++) {
      for (String mesh : meshes) {
        Map<String, String> modes = new LinkedHashMap<>();
        for (NetworkSpec.Node node : network.nodes()) {
          if (random.nextInt(3) > 0) {
            modes.put(node.name(), WORDS.get(random.nextInt(WORDS.size())));
          }
        }
        check(networks, mesh, modes, random.nextInt(4) == 0);
      }
    }
  }

  private static void check(
      SplitNetworks networks, String mesh, Map<String, String> modes, boolean eager)
      throws Exception {
    Strategy strategy = Strategy.USUAL.withLayers(modes);
    try {
      networks.check(Meshes.of(mesh), eager ? strategy.eagerly() : strategy, 1e-10, 1e-8);
    } catch (Exception | AssertionError e) {
      // A demanded mode that a layer does not have: try the others.
      Map<String, String> fewer = new LinkedHashMap<>(modes);
      if (e.getCause() instanceof UsageException refused
          && fewer
              .keySet()
              .removeIf(layer -> refused.getMessage().startsWith("layer " + layer + ":"))) {
        check(networks, mesh, fewer, eager);
      } else {
        fail(mesh + " " + modes + (eager ? " eager" : ""), e);
      }
    }
  }
}
