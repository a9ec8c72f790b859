package dev.tandem.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Topology;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileTrees;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the ranks hold for each other outlives some of them. */
class PartnerStoreTest {

  @TempDir Path folder;
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

  private BackgroundCheckpoints checkpoints(Communicator c, PartnerMemory memory, int generation) {
    // Of a hundred saves the first goes to the disk.
    return new BackgroundCheckpoints(
        c,
        Optional.of(new BackgroundCheckpoints.Partner(memory, generation)),
        List.of(new BackgroundCheckpoints.Level(folder, 100, CheckpointOptions.DEFAULT)),
        DurableFiles.system(),
        lines::add,
        cost -> {});
  }

  private static StateTree state(long step) {
    return StateTree.of(
        List.of(
            // Longer than what is sent at once, and parts of different length.
            States.tensor("w", DType.FLOAT32, Shape.of(1501, 1000), new Seed(step).random()),
            States.tensor("none", DType.FLOAT32, Shape.of(0), new Seed(step).random()),
            States.tensor("bytes", DType.UINT8, Shape.of(33), new Seed(-step).random())),
        Map.of("step", Long.toString(step)));
  }

  /** Saves steps 1 to 3 with so many ranks; gives what each then holds. */
  private List<PartnerMemory> saved(int ranks) throws Exception {
    List<PartnerMemory> memories =
        IntStream.range(0, ranks).mapToObj(rank -> new PartnerMemory()).toList();
    RankThreads.run(
        ranks,
        c -> {
          try (BackgroundCheckpoints store = checkpoints(c, memories.get(c.rank()), 1)) {
            for (long step = 1; step <= 3; step++) {
              store.save(step, state(step));
            }
            store.await();
          }
          return 0;
        });
    return memories;
  }

  /** Restores with these memories, one for each rank of the next generation. */
  private void assertRestores(long step, PartnerMemory... memories) throws Exception {
    RankThreads.run(
        memories.length,
        c -> {
          try (BackgroundCheckpoints store = checkpoints(c, memories[c.rank()], 2)) {
            StateTree target = States.zeroed(state(0));
            assertEquals(step, store.restoreNewest(SlicedState.whole(target)).orElseThrow().step());
            States.assertSame(state(step), target);
            // And goes on, cut among other ranks.
            store.save(step + 1, state(step + 1));
            store.await();
            assertEquals(step + 1, store.restoreNewest(SlicedState.whole(target)).get().step());
            States.assertSame(state(step + 1), target);
          }
          return 0;
        });
    Arrays.stream(memories).forEach(PartnerMemory::close);
  }

  @Test
  void survivorsRestoreWithoutTheDisk() throws Exception {
    for (int lost = 0; lost < 4; lost++) {
      List<PartnerMemory> memories = new ArrayList<>(saved(4));
      FileTrees.delete(folder);
      memories.remove(lost).close();
      assertRestores(3, memories.toArray(PartnerMemory[]::new));
    }
    assertEquals(List.of(), lines);
  }

  @Test
  void newcomersGetTheirsFromTheOthersAndTwoThatAreNoPartnersMayBeLost() throws Exception {
    List<PartnerMemory> memories = saved(4);
    FileTrees.delete(folder);
    memories.get(0).close();
    memories.get(2).close();
    assertRestores(
        3,
        new PartnerMemory(),
        memories.get(1),
        new PartnerMemory(),
        memories.get(3),
        new PartnerMemory());
    assertEquals(List.of(), lines);
  }

  @Test
  void whenPartnersAreLostTogetherTheDiskIsWhatRemains() throws Exception {
    List<PartnerMemory> memories = saved(4);
    memories.get(1).close();
    memories.get(2).close();
    assertRestores(1, memories.get(0), memories.get(3));
    assertEquals(
        List.of(
            "step 3 cannot be restored from memory: rank 1 and its partner are both lost; an older"
                + " checkpoint is used"),
        lines.stream().distinct().toList());
  }

  @Test
  void aFlippedBitIsFoundAndTheDiskIsWhatRemains() throws Exception {
    List<PartnerMemory> memories = saved(3);
    PartnerMemory.SavedStep key = memories.get(0).keys().getLast();
    var part = memories.get(0).part(key, 0);
    part.set(ValueLayout.JAVA_BYTE, 7, (byte) (part.get(ValueLayout.JAVA_BYTE, 7) ^ 8));
    assertRestores(1, memories.get(0), memories.get(1));
    assertTrue(lines.getFirst().startsWith("passed over step 3: memory"), lines.toString());
    assertTrue(lines.getFirst().endsWith("tensor w has a wrong checksum"), lines.toString());
    assertEquals(
        "continues from step 1 in %s, the last good checkpoint".formatted(folder), lines.get(1));
  }

  @Test
  void aRankThatIsAloneHoldsItsOwn() throws Exception {
    List<PartnerMemory> memories = saved(1);
    FileTrees.delete(folder);
    assertRestores(3, memories.getFirst(), new PartnerMemory());
  }

  @Test
  void partnersAreOnOtherHosts() {
    for (List<String> hosts :
        List.of(
            List.of("a", "a", "b", "b"),
            List.of("a", "b", "a", "b", "c"),
            List.of("a", "a", "a", "b", "c", "d"),
            List.of("a", "a", "a", "b"),
            List.of("a", "a", "a"),
            List.of("a"))) {
      Topology topology = new Topology(hosts);
      TreeSet<Integer> holders = new TreeSet<>();
      for (int rank = 0; rank < hosts.size(); rank++) {
        Partners partners = Partners.of(topology, rank);
        holders.add(partners.to());
        assertEquals(rank, Partners.of(topology, partners.to()).from(), hosts.toString());
        if (hosts.size() > 1) {
          assertNotEquals(rank, partners.to(), hosts.toString());
        }
        String host = hosts.get(rank);
        if (2 * Collections.frequency(hosts, "a") <= hosts.size()) {
          assertNotEquals(host, hosts.get(partners.to()), hosts.toString());
        }
      }
      assertEquals(hosts.size(), holders.size(), hosts.toString());
    }
  }
}
