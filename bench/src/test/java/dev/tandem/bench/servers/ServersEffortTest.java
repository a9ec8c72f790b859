package dev.tandem.bench.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.UsageException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServersEffortTest {

  @Test
  void ranksGetWhatWasChosen() {
    ServersEffort effort = ServersEffort.QUICK.withRounds(2).withStaleness(List.of(0, 1, 4));
    assertEquals(effort, ServersEffort.of(effort.arguments("folder").toArray(String[]::new)));
  }

  @Test
  void everyStalenessIsTriedAndProxiesWhereAHostHasSeveralRanks() {
    List<Integer> staleness = List.of(0, 1, 4);
    assertEquals(2 * (1 + 3), ServersTurn.all(2, staleness).size());
    assertEquals(2 * (1 + 3 + 3), ServersTurn.all(4, staleness).size());
  }

  @Test
  void whatCannotBeMeasuredIsRefused() {
    ServersEffort effort = ServersEffort.QUICK;
    assertThrows(UsageException.class, () -> effort.withRounds(0));
    assertThrows(UsageException.class, () -> effort.withStaleness(List.of()));
    assertThrows(UsageException.class, () -> effort.withStaleness(List.of(2, -1)));
    assertThrows(UsageException.class, () -> effort.withStaleness(List.of(2, 2)));
  }
}
