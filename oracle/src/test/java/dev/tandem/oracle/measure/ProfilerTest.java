package dev.tandem.oracle.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Progress;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.oracle.collective.Group;
import dev.tandem.oracle.profile.MeasuredCollectives;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.oracle.profile.ProfileFile;
import dev.tandem.oracle.profile.ProfiledLayers;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.Planner;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import dev.tandem.parallel.cost.PlannedGroups;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.strategy.Strategy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfilerTest {

  private static final NetworkSpec NETWORK =
      NetworkSpec.of(
          Shape.of(2, 8, 8),
          new Convolution("conv", 4, 3, 1, 1),
          new BatchNorm("norm", 0.1, 1e-5, Optional.empty()),
          Activation.relu("relu"),
          new Flatten("flatten"),
          new FullyConnected("scores", 6));

  @TempDir private Path folder;

  private static ProfileRequest request(List<String> strategies, NetworkSpec... networks) {
    return new ProfileRequest(
        List.of(networks).stream()
            .map(network -> new ProfileRequest.Named("own", NetworkYaml.write(network)))
            .toList(),
        List.of(2, 4),
        strategies,
        1,
        "cpu",
        0.01,
        1 << 12);
  }

  /** What two processes measure is enough for the plans of two ranks. */
  @Test
  void allPartsOfALayerAreKnown() {
    Profile profile = new Profiler(request(List.of("all"), NETWORK), 2, Progress.SILENT).run();
    Path file = folder.resolve("profile.json");
    ProfileFile.write(file, profile);
    assertEquals(profile, ProfileFile.read(file));
    ProfiledLayers layers = new ProfiledLayers(profile);
    for (String axis : List.of("data", "filter", "channel", "alternate", "height")) {
      for (int rank = 0; rank < 2; rank++) {
        LocalNetwork local = plan(axis, rank);
        for (int i = 0; i < local.spec().nodes().size(); i++) {
          NetworkSpec.Node node = local.spec().nodes().get(i);
          String which = axis + " " + node.name();
          if (node.layer() instanceof Exchange exchange) {
            assertTrue(layers.packing(exchange, 4, DType.FLOAT32).measured(), which);
          } else {
            assertTrue(
                layers.of(node.layer(), local.spec().layerInputs().get(i), 4).measured(), which);
          }
        }
      }
    }
    assertFalse(layers.of(new FullyConnected("s", 5), List.of(Shape.of(256)), 4).measured());
    assertTrue(layers.update(1000, 3, 1) > 0);
    assertTrue(layers.perPass(5) > 0);
    assertTrue(profile.gamma() > 0 && profile.gamma() < 3, "gamma " + profile.gamma());
    MeasuredCollectives collectives = new MeasuredCollectives(profile);
    for (Operation operation : Operation.values()) {
      assertTrue(collectives.of(operation, new Group(2, 1, 1), 1024, 1) > 0);
    }
  }

  private static LocalNetwork plan(String axis, int rank) {
    if (axis.equals("data")) {
      return LocalNetwork.undivided(NETWORK);
    }
    Mesh mesh = Mesh.of(new Mesh.Axis(axis, 2));
    PlannedGroups groups = PlannedGroups.onOneHost(mesh, rank);
    return Planner.plan(NETWORK, mesh, Strategy.USUAL, rank, groups::transfer);
  }

  @Test
  void collectivesAlone() {
    Profile profile = new Profiler(request(List.of("all")), 3, Progress.SILENT).run();
    assertEquals(List.of(), profile.layers());
    assertEquals(3, profile.ranks());
    // Groups of three: two of the ranks would leave one alone.
    assertTrue(profile.collectives().stream().allMatch(row -> row.ranks() == 3));
    assertEquals(Operation.values().length * 6, profile.collectives().size());
    assertTrue(profile.copySecondsPerByte() > 0);
  }

  @Test
  void oneRankIsRefused() {
    assertThrows(
        UsageException.class, () -> new Profiler(request(List.of("all")), 1, Progress.SILENT));
  }
}
