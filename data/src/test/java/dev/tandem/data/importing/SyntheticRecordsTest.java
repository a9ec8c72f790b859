package dev.tandem.data.importing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.data.Datum;
import dev.tandem.data.importing.SyntheticRecords.Kind;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SyntheticRecordsTest {

  @Test
  void cifarLikeRecordsHaveTheirSizeAndKeys() {
    CollectedRecords records =
        CollectedRecords.of(new SyntheticRecords(Kind.CIFAR, 100_002, new Seed(1), 5));
    assertEquals("00000", records.keys.getFirst());
    assertEquals("99999", records.keys.get(99_999));
    assertEquals("100001", records.keys.getLast());
    assertTrue(records.values.stream().allMatch(value -> value.length == 3_083));
    Datum datum = Datum.decode(records.value(7));
    assertEquals(3, datum.channels());
    assertEquals(32, datum.height());
    assertTrue(datum.label() >= 0 && datum.label() < 10);
    assertArrayEquals(datum.encode(), records.values.get(7));
  }

  @Test
  void keysStayInOrderByDefault() {
    assertEquals(5, SyntheticRecords.usualDigits(60_000));
    assertEquals(5, SyntheticRecords.usualDigits(100_000));
    assertEquals(8, SyntheticRecords.usualDigits(100_001));
    CollectedRecords records =
        CollectedRecords.of(new SyntheticRecords(Kind.CIFAR, 3, new Seed(1)));
    assertEquals("00002", records.keys.getLast());
  }

  @Test
  void imageNetLikeRecordsHaveTheirShapeAndKeys() {
    CollectedRecords records =
        CollectedRecords.of(new SyntheticRecords(Kind.IMAGENET, 3, new Seed(1)));
    assertTrue(
        records.keys.get(2).matches("00000002_(n0[0-9]{7})/\\1_2[.]JPEG"), records.keys.get(2));
    Datum datum = Datum.decode(records.value(2));
    assertEquals(256, datum.width());
    assertTrue(datum.label() >= 0 && datum.label() < 1000);
    int size = records.values.get(2).length;
    assertTrue(size > 196_608 && size < 196_640, "size " + size);
  }

  @Test
  void theSeedAloneDecides() {
    CollectedRecords one = CollectedRecords.of(new SyntheticRecords(Kind.CIFAR, 5, new Seed(1)));
    CollectedRecords more = CollectedRecords.of(new SyntheticRecords(Kind.CIFAR, 9, new Seed(1)));
    CollectedRecords other = CollectedRecords.of(new SyntheticRecords(Kind.CIFAR, 5, new Seed(2)));
    for (int i = 0; i < 5; i++) {
      assertArrayEquals(one.values.get(i), more.values.get(i));
      assertFalse(Arrays.equals(one.values.get(i), other.values.get(i)));
    }
    assertFalse(Arrays.equals(one.values.get(0), one.values.get(1)));
  }
}
