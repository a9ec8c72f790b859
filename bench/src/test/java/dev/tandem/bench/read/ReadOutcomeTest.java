package dev.tandem.bench.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.core.WorkFailedException;
import org.junit.jupiter.api.Test;

class ReadOutcomeTest {

  @Test
  void linesOfReadersAndOfAll() {
    ReadOutcome outcome =
        ReadOutcome.parse(
            "peer",
            "reader=0 seek=0.25 read=1\nrecords=12 seconds=1.5 checksum=ffffffffffffffff\n");
    assertEquals(12, outcome.records());
    assertEquals(1.5, outcome.seconds());
    assertEquals(-1, outcome.checksum());
    assertEquals("0.25", outcome.readers().getFirst().get("seek"));
    assertEquals(0, outcome.number("contextSwitches"));
  }

  @Test
  void silenceIsAFailure() {
    assertThrows(WorkFailedException.class, () -> ReadOutcome.parse("peer", "\n"));
  }
}
