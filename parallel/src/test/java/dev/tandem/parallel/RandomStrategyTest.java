package dev.tandem.parallel;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.SpaceOptions;
import dev.tandem.parallel.strategy.Strategy;
import dev.tandem.testkit.TestSeed;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random networks, meshes and modes of layers: what the ranks compute is what one would. */
class RandomStrategyTest {

  private static final List<String> MESHES =
      List.of(
          "filter=2",
          "filter=3",
          "channel=2",
          "channel=3",
          "alternate=2",
          "alternate=4",
          "height=2",
          "height=3",
          "width=2",
          "height=2,width=2",
          "width=2,filter=2",
          "height=2,alternate=2",
          "filter=2,channel=2");

  private static final List<String> WORDS =
      List.of("whole", "data", "filter", "channel", "alternate", "follow", "spatial");

  @Test
  void fewNetworks() throws Exception {
    check(12);
  }

  @Test
  @Tag("slow")
  void manyNetworks() throws Exception {
    check(400);
  }

  private void check(int cases) throws Exception {
    Seed seed = TestSeed.of(getClass());
    for (int i = 0; i < cases; i++) {
      Seed own = seed.derive(i);
      SplittableRandom random = own.random();
      NetworkSpec network = new RandomNetworks(random).draw();
      Mesh mesh = Meshes.of(MESHES.get(random.nextInt(MESHES.size())));
      Strategy strategy = strategy(network, mesh, random);
      try {
        new SplitNetworks(network, own, 5, 2).check(mesh, strategy, 1e-9, 1e-8);
      } catch (AssertionError | Exception e) {
        throw new AssertionError("case " + i + ": " + mesh + " " + strategy + " " + network, e);
      }
    }
  }

  private static Strategy strategy(NetworkSpec network, Mesh mesh, SplittableRandom random) {
    Strategy strategy =
        new Strategy(
            Map.of(),
            random.nextInt(4) == 0,
            new SpaceOptions(Optional.empty(), random.nextInt(3) == 0, 0, 1));
    Map<String, String> layers = new LinkedHashMap<>();
    for (NetworkSpec.Node node : network.nodes()) {
      if (random.nextInt(3) == 0) {
        Map<String, String> longer = new LinkedHashMap<>(layers);
        longer.put(node.name(), WORDS.get(random.nextInt(WORDS.size())));
        if (fits(network, mesh, strategy.withLayers(longer))) {
          layers = longer;
        }
      }
    }
    return strategy.withLayers(layers);
  }

  private static boolean fits(NetworkSpec network, Mesh mesh, Strategy strategy) {
    try {
      return !Meshes.plans(network, mesh, strategy).isEmpty();
    } catch (UsageException e) {
      return false;
    }
  }
}
