package dev.tandem.data.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RecordChecksumTest {

  /** The value of the class's Javadoc, which peers in other languages are checked against. */
  private static final long CHECK_VALUE = 0x3C84012AD07E839FL;

  private static final byte[][][] RECORDS = {
    {bytes("a"), bytes("")}, {bytes("bc"), bytes("123456789")}, {bytes("def"), counted(1000)}
  };

  @Test
  void recordsInSegmentsGiveTheCheckValue() {
    RecordChecksum checksum = new RecordChecksum();
    for (byte[][] record : RECORDS) {
      checksum.add(MemorySegment.ofArray(record[0]), MemorySegment.ofArray(record[1]));
    }
    assertEquals(CHECK_VALUE, checksum.sum());
  }

  @Test
  void recordsInBuffersGiveTheSameInAnyOrder() {
    RecordChecksum checksum = new RecordChecksum();
    for (int i = RECORDS.length - 1; i >= 0; i--) {
      byte[] key = RECORDS[i][0];
      byte[] value = RECORDS[i][1];
      ByteBuffer all = ByteBuffer.allocateDirect(7 + key.length + value.length);
      all.put(5, key).put(5 + key.length, value);
      checksum.add(all, 5, key.length, all, 5 + key.length, value.length);
    }
    assertEquals(CHECK_VALUE, checksum.sum());
  }

  @Test
  void sumsOfReadersAdd() {
    RecordChecksum all = new RecordChecksum();
    for (byte[][] record : RECORDS) {
      RecordChecksum one = new RecordChecksum();
      one.add(MemorySegment.ofArray(record[0]), MemorySegment.ofArray(record[1]));
      all.addSum(one.sum());
    }
    assertEquals(CHECK_VALUE, all.sum());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] counted(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i % 251);
    }
    return bytes;
  }
}
