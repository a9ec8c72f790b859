package dev.tandem.servers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.topology.Level;
import dev.tandem.comm.topology.RankPlaces;
import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who talks to whom. */
class ServerLayoutTest {

  @TempDir Path folder;

  @Test
  void withoutProxiesAllWorkersTalkToTheServers() {
    ServerLayout layout = Layouts.beside(4, 2).withWorkers(List.of(3, 0, 1));
    assertEquals(List.of(0, 1, 3), layout.clients());
    assertArrayEquals(new double[] {1 / 3.0, 1 / 3.0, 1 / 3.0}, layout.shares());
    assertEquals(Optional.empty(), layout.parent(3));
    assertTrue(layout.isNear(0, 1));
    assertTrue(!layout.isNear(1, 2));
  }

  /** Nodes of 2, 2 and 1: the last needs no proxy, and two nodes share a switch. */
  @Test
  void proxiesStandOnTheLowestRankOfAGroupOfSeveral() {
    ServerLayout layout = Layouts.beside(5, 2, Level.NODE, Level.SWITCH);
    assertEquals(List.of(0, 4), layout.clients());
    assertArrayEquals(new double[] {0.8, 0.2}, layout.shares());
    assertEquals(List.of(0, 1), layout.proxiesOn(0));
    assertEquals(List.of(), layout.proxiesOn(1));
    assertEquals(List.of(0), layout.proxiesOn(2));
    assertEquals(List.of(), layout.proxiesOn(4));
    assertEquals(Optional.of(0), layout.parent(1));
    assertEquals(Optional.of(0), layout.parent(2));
    assertEquals(Optional.of(2), layout.parent(3));
    assertEquals(Optional.empty(), layout.parent(4));
    assertEquals(List.of(0, 2), layout.membersWith(0, 1));
    assertTrue(layout.isNear(0, 3));
    assertTrue(!layout.isNear(0, 4));
  }

  @Test
  void levelsAreNearestFirst() {
    assertThrows(UsageException.class, () -> Layouts.beside(4, 2, Level.SWITCH, Level.NODE));
    assertThrows(UsageException.class, () -> Layouts.beside(4, 2, Level.PROCESS));
    assertThrows(UsageException.class, () -> Layouts.beside(4, 2).withServers(List.of(4)));
    assertThrows(UsageException.class, () -> Layouts.beside(4, 2).withWorkers(List.of()));
  }

  @Test
  void aNumaNodeIsANodeOfItsOwn() throws Exception {
    Files.createDirectories(folder.resolve("cpu0/node0"));
    Files.createDirectories(folder.resolve("cpu1/node0"));
    Files.createDirectories(folder.resolve("cpu2/node1"));
    assertEquals(OptionalInt.of(0), NumaPlaces.node(folder, BitSet.valueOf(new long[] {0b011})));
    assertEquals(OptionalInt.of(1), NumaPlaces.node(folder, BitSet.valueOf(new long[] {0b100})));
    assertEquals(OptionalInt.empty(), NumaPlaces.node(folder, BitSet.valueOf(new long[] {0b110})));
    assertEquals(OptionalInt.empty(), NumaPlaces.node(folder, new BitSet()));
    RankPlaces places = NumaPlaces.places(List.of("a", "a", "a", "b"), new int[] {0, 0, 1, 0});
    assertEquals(Level.NODE, places.between(0, 1));
    assertEquals(Level.SWITCH, places.between(1, 2));
    assertEquals(Level.SWITCH, places.between(0, 3));
  }
}
