package dev.tandem.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What users write, the mesh that it means, and what they read if it means none. */
class StrategyTextTest {

  private static final int IMAGES = 2;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "data|1|''",
        "data|4|data=4",
        "filter|3|filter=3",
        "data=2,filter=2|4|data=2,filter=2",
        "filter=2,data=2|4|data=2,filter=2",
        "data,filter=2|6|data=3,filter=2",
        "data=3,filter|6|data=3,filter=2",
        "spatial=2x3|6|height=2,width=3",
        "spatial|4|height=4",
        "data=2,spatial=2|4|data=2,height=2",
        "width=2,channel=3|6|width=2,channel=3",
        "pipeline=4|4|pipeline=4",
        "channel=2,data=2,pipeline=3|12|pipeline=3,data=2,channel=2",
        "layer|2|pipeline=2",
        "sharded|2|data=2",
        "sharded,alternate=2|4|data=2,alternate=2"
      })
  void meansAMesh(String text, int ranks, String mesh) {
    StrategyText strategy = StrategyText.parse(text);
    assertEquals(mesh, strategy.mesh(ranks, IMAGES).toString());
    assertEquals(text, strategy.toString());
    assertEquals(strategy, StrategyText.parse(strategy.toString()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "data=2,filter=3|4|strategy data=2,filter=3 needs 6 ranks, not 4: use -n 6, or data=2,filter=2",
        "data=3,filter=2|4|strategy data=3,filter=2 needs 6 ranks, not 4: use -n 6, or data=2,filter=2",
        "filter=2|4|strategy filter=2 needs 2 ranks, not 4: use -n 2, or filter=4",
        "data,filter=3|4|strategy data,filter=3 needs a multiple of 3 ranks, not 4: use -n 6, or data,filter=4",
        "spatial=2x2x2|8|spatial=2x2x2 splits 3 dimensions, but images have 2",
        "depth=2|2|strategy depth=2: images have no depth",
        "filer=2|2|unknown word 'filer'",
        "filer=2|2|did you mean 'filter'?",
        "filter=0|2|filter=0, expected a number of ranks, as in filter=2",
        "filter=2x2|4|filter=2x2, expected a number of ranks, as in filter=2",
        "spatial=2y2|4|spatial=2y2, expected a number of ranks, as in spatial=2 or spatial=2x2",
        "data,filter|4|strategy data,filter leaves more than one size out: expected sizes as in data=2,filter=2",
        "data=2,sharded=2|4|strategy data=2,sharded=2 has two parts along data",
        "spatial=2,height=2|4|strategy spatial=2,height=2 has spatial and one of its dimensions"
      })
  void refusesWhatCannotBe(String text, int ranks, String message) {
    UsageException refused =
        assertThrows(
            UsageException.class, () -> StrategyText.parse(text).mesh(ranks, IMAGES), text);
    assertTrue(refused.getMessage().contains(message), refused.getMessage());
    assertFalse(refused.getMessage().contains("\n"));
  }
}
