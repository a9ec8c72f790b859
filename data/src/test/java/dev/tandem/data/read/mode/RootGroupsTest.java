package dev.tandem.data.read.mode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.testkit.TestSeed;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RootGroupsTest {

  @Test
  void hostsWhoseReadersAlternateHaveTheirGroupsInTheOrderOfTheRoots() {
    RootGroups groups = RootGroups.of(new int[] {1, 0, 1, 0, 0}, 1, 3);

    assertArrayEquals(new int[] {0, 1}, groups.roots());
    assertArrayEquals(new int[] {0, 2}, groups.groups().get(0));
    assertArrayEquals(new int[] {1, 3, 4}, groups.members());
    assertEquals(1, groups.place(3));
  }

  @Test
  void everyReaderHasOneRootOfItsHost() {
    SplittableRandom random = TestSeed.of(RootGroupsTest.class).random();
    for (int trial = 0; trial < 200; trial++) {
      int[] hosts = random.ints(1 + random.nextInt(12), 0, 4).toArray();
      int rootsPerHost = 1 + random.nextInt(4);
      BitSet seen = new BitSet();
      int last = -1;
      for (int[] group : RootGroups.of(hosts, rootsPerHost, 0).groups()) {
        assertTrue(group[0] > last, "roots are in order");
        last = group[0];
        for (int member : group) {
          assertEquals(hosts[group[0]], hosts[member]);
          assertTrue(!seen.get(member), "in one group only");
          seen.set(member);
        }
      }
      assertEquals(hosts.length, seen.cardinality());
    }
  }
}
