package dev.tandem.tune.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/** Records as lines of the journal. */
final class RecordLine {

  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);
  private static final ObjectWriter WRITER = MAPPER.writerFor(JournalRecord.class);
  private static final ObjectReader READER = MAPPER.readerFor(JournalRecord.class);
  private static final byte[] SAFE = ",\"safe\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  /** Digits of the sum and a space. */
  static final int HEAD = 9;

  private RecordLine() {}

  /** A line without what the first of a batch says in addition. */
  static byte[] of(JournalRecord record) {
    return sealed(json(record));
  }

  /**
   * The first line of a batch.
   *
   * @param safe bytes of the file that are known to be on the disk
   */
  static byte[] first(JournalRecord record, long safe) {
    byte[] plain = json(record);
    byte[] number = (safe + "}").getBytes(StandardCharsets.US_ASCII);
    byte[] json = new byte[plain.length - 1 + SAFE.length + number.length];
    System.arraycopy(plain, 0, json, 0, plain.length - 1);
    System.arraycopy(SAFE, 0, json, plain.length - 1, SAFE.length);
    System.arraycopy(number, 0, json, plain.length - 1 + SAFE.length, number.length);
    return sealed(json);
  }

  private static byte[] json(JournalRecord record) {
    try {
      return WRITER.writeValueAsBytes(record);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a record that is no JSON", e);
    }
  }

  private static byte[] sealed(byte[] json) {
    byte[] line = new byte[HEAD + json.length + 1];
    long sum = sum(json, 0, json.length);
    for (int i = 0; i < 8; i++) {
      line[i] = DIGITS[(int) (sum >>> (28 - 4 * i)) & 15];
    }
    line[8] = ' ';
    System.arraycopy(json, 0, line, HEAD, json.length);
    line[line.length - 1] = '\n';
    return line;
  }

  /** Whether these bytes, without the end of the line, are a whole record. */
  static boolean whole(byte[] bytes, int from, int to) {
    if (to - from < HEAD + 2 || bytes[from + 8] != ' ') {
      return false;
    }
    long sum = sum(bytes, from + HEAD, to - from - HEAD);
    for (int i = 0; i < 8; i++) {
      if (bytes[from + i] != DIGITS[(int) (sum >>> (28 - 4 * i)) & 15]) {
        return false;
      }
    }
    return true;
  }

  /** The record in bytes that are whole. */
  static JournalRecord read(byte[] bytes, int from, int to) throws IOException {
    return READER.readValue(bytes, from + HEAD, to - from - HEAD);
  }

  /** What a whole record says is safe, if it is the first of a batch. */
  static Optional<Long> safe(byte[] bytes, int from, int to) throws IOException {
    return Optional.ofNullable(MAPPER.readTree(bytes, from + HEAD, to - from - HEAD).get("safe"))
        .map(node -> node.asLong());
  }

  private static long sum(byte[] bytes, int from, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, from, length);
    return sum.getValue();
  }
}
