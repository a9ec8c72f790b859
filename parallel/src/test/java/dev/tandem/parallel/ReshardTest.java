package dev.tandem.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.SavedCheckpoint;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.core.Region;
import dev.tandem.core.Seed;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Adam;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.NetworkPart;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.state.WholeDigest;
import dev.tandem.parallel.strategy.Strategy;
import dev.tandem.posix.DurableFiles;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is saved under one strategy opens under another, and in one process. */
class ReshardTest {

  private static final Engine ENGINE = Engine.start(1);

  private static final List<String> MESHES =
      List.of(
          "data=1",
          "filter=3",
          "channel=2",
          "data=2,alternate=2",
          "height=2",
          "height=2,filter=2",
          "data=3");

  @TempDir Path folder;
  private long step;

  /** Saves or opens the state of a rank. */
  private interface Work {
    void run(Communicator communicator, Optimizer optimizer);
  }

  @Test
  void anyStrategyOpensWhatAnotherSaved() throws Exception {
    check(
        List.of(SmallNetworks.transformer()),
        List.of("data=1", "filter=3", "data=2,alternate=2", "height=2,filter=2"));
  }

  @Test
  @Tag("slow")
  void anyStrategyOpensWhatAnyOtherSaved() throws Exception {
    check(SmallNetworks.all().values(), MESHES);
    check(SmallNetworks.all().values(), MESHES.reversed());
  }

  private void check(Collection<NetworkSpec> networks, List<String> meshes) throws Exception {
    Seed seed = TestSeed.of(ReshardTest.class);
    for (NetworkSpec network : networks) {
      Map<String, byte[]> whole = new HashMap<>();
      String[] digest = new String[1];
      onRanks(
          network,
          "data=1",
          (communicator, optimizer) -> {
            StateTree state = optimizer.stateTree(Map.of());
            draw(state, optimizer.stateRegions(), seed);
            state.tensors().forEach((name, tensor) -> whole.put(name, bytes(tensor)));
            digest[0] = WholeDigest.of(communicator, state, Map.of()).digest();
          });
      for (int i = 0; i < meshes.size(); i++) {
        long saved = ++step;
        onRanks(
            network,
            meshes.get(i),
            (communicator, optimizer) -> {
              StateTree state = optimizer.stateTree(Map.of());
              Map<String, Region> regions = optimizer.stateRegions();
              draw(state, regions, seed);
              WholeDigest own = WholeDigest.of(communicator, state, regions);
              assertTrue(own.identical());
              assertEquals(digest[0], own.digest());
              store(communicator).save(saved, new SlicedState(state, regions));
            });
        assertEquals(
            List.of(), SavedCheckpoint.open(folder, saved, DurableFiles.system()).problems());
        onRanks(
            network,
            meshes.get((i + 1) % meshes.size()),
            (communicator, optimizer) -> {
              StateTree state = optimizer.stateTree(Map.of());
              Map<String, Region> regions = optimizer.stateRegions();
              store(communicator).restore(saved, new SlicedState(state, regions));
              state
                  .tensors()
                  .forEach(
                      (name, tensor) ->
                          assertArrayEquals(
                              part(whole.get(name), tensor, regions), bytes(tensor), name));
            });
      }
    }
  }

  private FolderCheckpointStore store(Communicator communicator) {
    return new FolderCheckpointStore(
        folder, DurableFiles.system(), communicator, CheckpointOptions.DEFAULT, line -> {});
  }

  private static void onRanks(NetworkSpec network, String words, Work work) throws Exception {
    Mesh mesh = Meshes.of(words);
    RankThreads.run(
        mesh.size(),
        communicator -> {
          int rank = communicator.rank();
          LocalNetwork local =
              Planner.plan(network, mesh, Strategy.USUAL, rank, Meshes.none(mesh, rank));
          NetworkPart part =
              new NetworkPart(
                  local.whole(), local.regions(), Optional.empty(), local.inputSamples());
          try (Network own =
                  Network.create(
                      ENGINE, local.spec(), new Seed(rank), NetworkOptions.DEFAULT, part);
              Optimizer optimizer = new Adam(own, new Adam.Settings(0.9, 0.99, 1e-8, 0, false))) {
            work.run(communicator, optimizer);
          }
          return 0;
        });
  }

  /** Regions of random whole tensors. */
  private static void draw(StateTree state, Map<String, Region> regions, Seed seed) {
    for (TensorView tensor : state.tensors().values()) {
      Region region = regions.getOrDefault(tensor.name(), Region.all(tensor.shape()));
      long size = region.whole().elements() * tensor.dtype().bytes();
      byte[] whole = new byte[Math.toIntExact(size)];
      seed.derive(tensor.name()).random().nextBytes(whole);
      tensor.data().copyFrom(MemorySegment.ofArray(part(whole, tensor, regions)));
    }
  }

  private static byte[] part(byte[] whole, TensorView tensor, Map<String, Region> regions) {
    int size = tensor.dtype().bytes();
    byte[] part = new byte[Math.toIntExact(tensor.byteSize())];
    regions
        .getOrDefault(tensor.name(), Region.all(tensor.shape()))
        .forEachRun(
            (from, to, length) ->
                System.arraycopy(
                    whole,
                    Math.toIntExact(from * size),
                    part,
                    Math.toIntExact(to * size),
                    Math.toIntExact(length * size)));
    return part;
  }

  private static byte[] bytes(TensorView tensor) {
    return tensor.data().toArray(ValueLayout.JAVA_BYTE);
  }
}
