package dev.tandem.parallel.mesh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Ranges;
import java.util.List;
import org.junit.jupiter.api.Test;

class CutTest {

  @Test
  void theFirstPartsHaveOneMore() {
    assertEquals(
        List.of(Ranges.of(10, 0, 4), Ranges.of(10, 4, 7), Ranges.of(10, 7, 10)),
        Cut.even(10, 3).parts());
    assertTrue(Cut.even(10, 3).isDisjoint());
    assertFalse(Cut.even(2, 3).reachesAll());
  }

  /** As many places as there are, but one twice and one not at all. */
  @Test
  void overlapsAreSeen() {
    assertFalse(new Cut(List.of(Ranges.of(8, 0, 5), Ranges.of(8, 4, 7))).isDisjoint());
    assertFalse(new Cut(List.of(Ranges.of(8, 0, 3), Ranges.of(8, 4, 8))).isDisjoint());
  }

  @Test
  void joinedAndFlattenedPartsAreDisjoint() {
    Cut joined = Cut.joined(List.of(Cut.even(5, 2), Cut.even(3, 2)));
    assertTrue(joined.isDisjoint());
    assertEquals(2, joined.parts().getFirst().runs().size());
    Cut flat = Cut.even(3, 2).flattened(4, 2);
    assertTrue(flat.isDisjoint());
    assertEquals(24, flat.whole());
    assertEquals(4, flat.parts().getFirst().runs().size());
  }
}
