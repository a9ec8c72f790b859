package dev.tandem.parallel;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.strategy.SpaceOptions;
import dev.tandem.parallel.strategy.Strategy;
import dev.tandem.testkit.TestSeed;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A split network computes what the whole one does: outputs and gradients of every layer in the
 * first step to 1e-10, parameters after some steps to 1e-8. In float32 1e-4 and 1e-3, where
 * rounding is not made larger by kinks: where a ReLU begins or another place is the maximum, a
 * number that is wrong in its last bit may change a gradient by all of itself.
 */
class NetworkStrategyTest {

  private static final double STEP = 1e-10;
  private static final double END = 1e-8;
  private static final double STEP_32 = 1e-4;
  private static final double END_32 = 1e-3;

  private static final List<String> MESHES =
      List.of(
          "filter=2",
          "filter=3",
          "channel=2",
          "channel=3",
          "alternate=2",
          "alternate=3",
          "height=2",
          "height=3",
          "width=2",
          "height=2,width=2",
          "height=2,filter=2",
          "filter=2,channel=2",
          "filter=4",
          "channel=4",
          "height=4");

  @ParameterizedTest
  @ValueSource(
      strings = {"lenet", "resnet", "vgg", "inception", "cosmoflow", "transformer", "responses"})
  @Tag("slow")
  void everyStrategyAgreesWithTheWholeNetwork(String name) throws Exception {
    Seed seed = TestSeed.of(getClass());
    NetworkSpec network = SmallNetworks.all().get(name);
    SplitNetworks networks = new SplitNetworks(network, seed, 5, 20);
    for (String mesh : MESHES) {
      networks.check(Meshes.of(mesh), Strategy.USUAL, STEP, END);
      networks.check(Meshes.of(mesh), Strategy.USUAL.eagerly(), STEP, END);
    }
    networks.check(Meshes.of("height=2"), toSamples(), STEP, END);
    networks.check(Meshes.of("height=2,width=2"), toSamples(), STEP, END);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "height=4,width=2",
        "height=2,width=2,filter=2",
        "height=2,alternate=4",
        "filter=4,channel=2",
        "data=2,filter=4",
        "data=2,height=2,channel=2"
      })
  @Tag("slow")
  void eightRanksAgree(String mesh) throws Exception {
    Seed seed = TestSeed.of(getClass());
    for (NetworkSpec network :
        List.of(SmallNetworks.lenet(), SmallNetworks.vgg(), SmallNetworks.transformer())) {
      new SplitNetworks(network, seed, 5, 20).check(Meshes.of(mesh), Strategy.USUAL, STEP, END);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"lenet", "resnet", "vgg", "inception", "cosmoflow", "transformer", "responses"})
  @Tag("slow")
  void everyStrategyAgreesInFloat32(String name) throws Exception {
    Seed seed = TestSeed.of(getClass());
    NetworkSpec network = SmallNetworks.withoutKinks(SmallNetworks.all().get(name));
    SplitNetworks networks = new SplitNetworks(network, DType.FLOAT32, seed, 5, 20);
    for (String mesh : MESHES) {
      networks.check(Meshes.of(mesh), Strategy.USUAL, STEP_32, END_32);
      networks.check(Meshes.of(mesh), Strategy.USUAL.eagerly(), STEP_32, END_32);
    }
    networks.check(Meshes.of("height=2"), toSamples(), STEP_32, END_32);
  }

  @Test
  void aSmallNetworkAgreesInFloat32() throws Exception {
    Seed seed = TestSeed.of(getClass());
    NetworkSpec network = SmallNetworks.withoutKinks(SmallNetworks.resnet());
    SplitNetworks networks = new SplitNetworks(network, DType.FLOAT32, seed, 5, 20);
    for (String mesh : List.of("filter=2", "channel=3", "alternate=2", "height=3")) {
      networks.check(Meshes.of(mesh), Strategy.USUAL, STEP_32, END_32);
    }
  }

  private static Strategy toSamples() {
    return Strategy.USUAL.withSpace(new SpaceOptions(Optional.empty(), true, 0, 1));
  }

  @Test
  void aSmallNetworkAgrees() throws Exception {
    Seed seed = TestSeed.of(getClass());
    SplitNetworks networks = new SplitNetworks(SmallNetworks.resnet(), seed, 5, 3);
    for (String mesh : List.of("filter=2", "channel=3", "alternate=2", "height=3", "width=2")) {
      networks.check(Meshes.of(mesh), Strategy.USUAL, STEP, END);
    }
    networks.check(Meshes.of("filter=2"), Strategy.USUAL.eagerly(), STEP, END);
    networks.check(Meshes.of("height=2"), toSamples(), STEP, END);
    networks.check(
        Meshes.of("filter=2"),
        Strategy.USUAL.withLayers(Map.of("*.conv1", "data", "fc", "channel")),
        STEP,
        END);
  }

  /** A rank whose part of the output comes from the padding alone needs nothing of the input. */
  @Test
  void windowsWithinThePadding() throws Exception {
    NetworkBuilder network = new NetworkBuilder(Shape.of(2, 5, 4));
    network.add(new Convolution("first", 3, 1, 1, 0));
    network.add(new Convolution("second", 3, 1, 2, 1));
    network.add(new Flatten("flatten"));
    network.add(new FullyConnected("fc", 5));
    Seed seed = TestSeed.of(getClass());
    SplitNetworks networks = new SplitNetworks(network.build(), seed, 5, 3);
    networks.check(Meshes.of("height=3"), Strategy.USUAL, STEP, END);
    networks.check(Meshes.of("height=3"), Strategy.USUAL.eagerly(), STEP, END);
  }

  /** The last batch of a data set may have fewer samples than there are ranks. */
  @Test
  void ranksWithoutSamples() throws Exception {
    Seed seed = TestSeed.of(getClass());
    SplitNetworks networks = new SplitNetworks(SmallNetworks.resnet(), seed, 2, 2);
    networks.check(Meshes.of("height=3"), toSamples(), STEP, END);
    networks.check(
        Meshes.of("filter=3"), Strategy.USUAL.withLayers(Map.of("*", "data")), STEP, END);
    networks.check(
        Meshes.of("filter=3"),
        Strategy.USUAL.withLayers(Map.of("a.*", "data", "fc", "data")),
        STEP,
        END);
  }

  @Test
  void withOtherSamplesOnOtherRanks() throws Exception {
    Seed seed = TestSeed.of(getClass());
    SplitNetworks networks = new SplitNetworks(SmallNetworks.lenet(), seed, 5, 3);
    networks.check(Meshes.of("data=2,filter=2"), Strategy.USUAL, STEP, END);
    networks.check(Meshes.of("data=2,height=2"), Strategy.USUAL, STEP, END);
  }
}
