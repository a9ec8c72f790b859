package dev.tandem.sync.cores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.sync.policy.Partitioning;
import dev.tandem.sync.policy.SyncOptions;
import java.util.BitSet;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which cores each role has; what real threads get is in {@code train}'s CorePlacementTest. */
class CorePartitionTest {

  private static BitSet cores(int from, int to) {
    BitSet set = new BitSet();
    set.set(from, to);
    return set;
  }

  private static void assertCores(String expected, CorePartition partition) {
    assertEquals(
        expected,
        "%s %s %s"
            .formatted(
                partition.cores(Role.BACKGROUND),
                partition.cores(Role.ENGINE),
                partition.cores(Role.INPUT)));
  }

  @Test
  void everyRoleHasCoresOfItsOwn() {
    assertCores("{4} {5} {6}", CorePartition.of(Partitioning.STATIC, cores(4, 7)));
    assertCores(
        "{0} {1, 2, 3, 4, 5, 6} {7, 8}", CorePartition.of(Partitioning.STATIC, cores(0, 9)));
  }

  @Test
  void withTooFewCoresNothingIsPlacedAndThatIsSaid() {
    CorePartition partition = CorePartition.of(Partitioning.STATIC, cores(0, 2));
    assertFalse(partition.active());
    assertCores("{} {} {}", partition);
    assertEquals("2 cores per rank, fewer than 3: partitioning has no effect", partition.summary());
    assertEquals(
        "1 core per rank, fewer than 3: partitioning has no effect",
        CorePartition.of(Partitioning.DYNAMIC, cores(1, 2)).summary());
    assertFalse(CorePartition.of(Partitioning.NONE, cores(0, 9)).active());
  }

  @Test
  void coresMoveToWhereTheyAreShort() {
    CorePartition partition = CorePartition.of(Partitioning.DYNAMIC, cores(0, 5));
    assertCores("{0} {1, 2, 3} {4}", partition);
    assertFalse(partition.balance(0.98, 1), "the engine does not wait");
    assertFalse(partition.balance(0.5, 0.5), "input is not what it waits for");
    assertTrue(partition.balance(0.5, 0.99));
    assertCores("{0} {1, 2} {3, 4}", partition);
    assertTrue(partition.balance(0.5, 1.99));
    assertFalse(partition.balance(0.5, 2.99), "the engine keeps one");
    assertCores("{0} {1} {2, 3, 4}", partition);
    assertTrue(partition.balance(0.98, 0.6));
    assertFalse(partition.balance(0.98, 0.9), "one core less would not be enough");
    assertCores("{0} {1, 2} {3, 4}", partition);
  }

  @Test
  void staticCoresStay() {
    CorePartition partition = CorePartition.of(Partitioning.STATIC, cores(0, 5));
    assertFalse(partition.balance(0.1, 1));
  }

  @Test
  void threadsAreKnownByTheirNames() {
    assertEquals(Optional.of(Role.BACKGROUND), Role.of("tandem-sync-12", "main"));
    assertEquals(Optional.of(Role.INPUT), Role.of("loader-0-decode", "main"));
    assertEquals(Optional.of(Role.ENGINE), Role.of("main", "main"));
    assertEquals(Optional.empty(), Role.of("C2 CompilerThre", "main"));
  }

  @Test
  void policiesSayHowCoresAreDivided() {
    assertEquals(Partitioning.STATIC, SyncOptions.of("scp").partitioning());
    assertEquals(Partitioning.DYNAMIC, SyncOptions.of("scp-topo+dynamic").partitioning());
    assertEquals("scp-topo+dynamic", SyncOptions.of("scp-topo+dynamic").partitionedCode());
    assertThrows(UsageException.class, () -> SyncOptions.of("topo+dynamic"));
  }

  @Test
  void removedSuffixesAreNamed() {
    UsageException removed =
        assertThrows(UsageException.class, () -> SyncOptions.of("topo+unfused"));
    assertEquals(
        "synchronisation 'topo+unfused': +unfused was removed; use 'topo'", removed.getMessage());
    assertThrows(UsageException.class, () -> SyncOptions.of("topo+transfers4"));
    assertThrows(UsageException.class, () -> SyncOptions.of("buckets+overlapped"));
  }
}
