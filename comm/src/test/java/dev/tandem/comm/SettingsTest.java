package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.collective.AllreduceAlgorithm;
import dev.tandem.comm.collective.CollectiveSettings;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SettingsTest {

  private static final CollectiveSettings FAST = CollectiveSettings.DEFAULT.at(Determinism.FAST);

  @ParameterizedTest
  @EnumSource
  void ranksWithDifferentSettingsAreRefused(TransportKind kind) {
    for (CollectiveSettings other :
        List.of(FAST, CollectiveSettings.DEFAULT.forcing(AllreduceAlgorithm.DIRECT))) {
      List<CollectiveSettings> settings =
          List.of(CollectiveSettings.DEFAULT, CollectiveSettings.DEFAULT, other);
      ExecutionException e =
          assertThrows(
              ExecutionException.class,
              () -> TestJob.runWith(kind, settings, Communicator::determinism));
      assertEquals(UsageException.class, e.getCause().getClass());
      assertEquals(
          "ranks 0 and 2 have different settings: TANDEM_DETERMINISM, TANDEM_ALLREDUCE and the"
              + " table of TANDEM_COLLECTIVE_TABLE must be the same",
          e.getCause().getMessage());
    }
  }

  @Test
  void aForcedAlgorithmIsUsed() throws Exception {
    CollectiveSettings settings = FAST.forcing(AllreduceAlgorithm.RING);
    TestJob.runWith(
        TransportKind.SHARED_MEMORY,
        List.of(settings, settings, settings),
        communicator -> {
          assertEquals(
              AllreduceAlgorithm.RING,
              communicator.allreduceAlgorithm(4, DType.FLOAT32, ReduceOp.SUM));
          long[] data = {1, 2, 3};
          long before = communicator.traffic().steps();
          communicator.allreduce(MemorySegment.ofArray(data), DType.INT64, ReduceOp.SUM);
          assertEquals(9, data[2]);
          assertEquals(4, communicator.traffic().steps() - before);
          UsageException e =
              assertThrows(UsageException.class, () -> communicator.at(Determinism.RUN));
          assertEquals(
              "TANDEM_ALLREDUCE=ring does not keep determinism level run: set"
                  + " TANDEM_DETERMINISM=fast",
              e.getMessage());
          return null;
        });
  }

  @Test
  void aForcedAlgorithmThatDoesNotApplyIsRefused() {
    CollectiveSettings flat = CollectiveSettings.DEFAULT.forcing(AllreduceAlgorithm.FLAT);
    ExecutionException e =
        assertThrows(
            ExecutionException.class,
            () ->
                TestJob.runWith(TransportKind.TCP, List.of(flat, flat), Communicator::determinism));
    assertEquals(
        "TANDEM_ALLREDUCE=flat does not apply to these 2 ranks: it needs memory that all of them"
            + " share",
        e.getCause().getMessage());
    CollectiveSettings hosts = CollectiveSettings.DEFAULT.forcing(AllreduceAlgorithm.HIERARCHICAL);
    e =
        assertThrows(
            ExecutionException.class,
            () ->
                TestJob.runWith(
                    TransportKind.SHARED_MEMORY, List.of(hosts, hosts), Communicator::determinism));
    assertEquals(
        "TANDEM_ALLREDUCE=hierarchical does not apply to these 2 ranks: it needs several hosts"
            + " with several ranks on one of them",
        e.getCause().getMessage());
  }

  @Test
  void badVariablesAreRefusedInOneLine() {
    assertRefused(
        "TANDEM_DETERMINISM must be fast or run, not 'slow'", Map.of("TANDEM_DETERMINISM", "slow"));
    assertRefused(
        "TANDEM_ALLREDUCE must be one of flat, gathered, direct, hierarchical, ring, doubling,"
            + " tree, not 'best'",
        Map.of("TANDEM_ALLREDUCE", "best"));
    assertRefused(
        "TANDEM_ALLREDUCE=tree does not keep determinism level run: set TANDEM_DETERMINISM=fast",
        Map.of("TANDEM_ALLREDUCE", "tree"));
    assertRefused(
        "cannot read the algorithm table no/such/file: no/such/file",
        Map.of("TANDEM_COLLECTIVE_TABLE", "no/such/file"));
  }

  private static void assertRefused(String message, Map<String, String> variables) {
    UsageException e = assertThrows(UsageException.class, () -> CollectiveSettings.of(variables));
    assertEquals(message, e.getMessage());
  }

  @Test
  void variablesAreUnderstood() {
    assertEquals(CollectiveSettings.DEFAULT, CollectiveSettings.of(Map.of()));
    assertEquals(
        FAST.forcing(AllreduceAlgorithm.TREE),
        CollectiveSettings.of(Map.of("TANDEM_DETERMINISM", "fast", "TANDEM_ALLREDUCE", "tree")));
  }
}
