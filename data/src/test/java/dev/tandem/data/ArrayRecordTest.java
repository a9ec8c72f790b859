package dev.tandem.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ArrayRecordTest {

  @Test
  void whatIsEncodedIsDecoded() {
    SplittableRandom random = TestSeed.of(ArrayRecordTest.class).random();
    for (int round = 0; round < 200; round++) {
      ArrayRecord record = random(random);
      byte[] bytes = record.encode();
      ArrayRecord read = ArrayRecord.decode(MemorySegment.ofArray(bytes));
      assertTrue(ArrayRecord.is(MemorySegment.ofArray(bytes)));
      assertEquals(record.shape(), read.shape());
      assertEquals(record.label(), read.label());
      assertEquals(record.values(), read.values());
      assertEquals(record.count(), read.count());
      for (int i = 0; i < record.count(); i++) {
        assertEquals(record.element(i), read.element(i));
      }
    }
  }

  @Test
  void whatIsDamagedIsRefusedOrAnotherRecord() {
    SplittableRandom random = TestSeed.of(ArrayRecordTest.class).random();
    for (int round = 0; round < 500; round++) {
      byte[] bytes = random(random).encode();
      int length = random.nextInt(bytes.length + 1);
      byte[] damaged = Arrays.copyOf(bytes, random.nextBoolean() ? length : bytes.length);
      if (damaged.length > 0) {
        damaged[random.nextInt(Math.min(16, damaged.length))] = (byte) random.nextInt();
      }
      try {
        ArrayRecord.decode(MemorySegment.ofArray(damaged));
      } catch (WorkFailedException e) {
        assertFalse(e.getMessage().isEmpty());
      }
    }
  }

  @Test
  void aDatumIsNone() {
    byte[] datum = Datum.of(1, 2, 2, 3, new byte[4]).encode();
    assertFalse(ArrayRecord.is(MemorySegment.ofArray(datum)));
    assertThrows(WorkFailedException.class, () -> ArrayRecord.decode(MemorySegment.ofArray(datum)));
  }

  private static ArrayRecord random(SplittableRandom random) {
    List<Integer> shape = new ArrayList<>();
    int count = 1;
    for (int i = random.nextInt(1, 5); i > 0; i--) {
      shape.add(random.nextInt(1, 6));
      count *= shape.getLast();
    }
    float[] values = new float[random.nextInt(4)];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextDouble(-10, 10);
    }
    long label = values.length == 0 ? random.nextInt(1000) : -1;
    if (random.nextBoolean()) {
      byte[] bytes = new byte[count];
      random.nextBytes(bytes);
      return ArrayRecord.ofBytes(shape, MemorySegment.ofArray(bytes), label, values);
    }
    float[] elements = new float[count];
    for (int i = 0; i < count; i++) {
      elements[i] = (float) random.nextDouble(-1e6, 1e6);
    }
    return ArrayRecord.of(shape, elements, label, values);
  }
}
