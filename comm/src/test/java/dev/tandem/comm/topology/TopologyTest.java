package dev.tandem.comm.topology;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class TopologyTest {

  @Test
  void hostsAreNumberedAsTheyAppear() {
    Topology topology = new Topology(List.of("b", "a", "b", "c", "a"));
    assertEquals(3, topology.hosts());
    assertEquals(0, topology.host(2));
    assertEquals(1, topology.host(4));
    assertEquals(2, topology.host(3));
    assertArrayEquals(new int[] {1, 4}, topology.ranksOf(1));
    assertArrayEquals(new int[] {0, 1, 3}, topology.leaders());
    assertEquals(1, topology.localRank(4));
    assertEquals(0, topology.localRank(3));
    assertEquals(2, topology.localSize(0));
  }

  @Test
  void oneHostHasOneLeader() {
    Topology topology = Topology.oneHost(3);
    assertEquals(1, topology.hosts());
    assertArrayEquals(new int[] {0}, topology.leaders());
    assertEquals(2, topology.localRank(2));
  }
}
