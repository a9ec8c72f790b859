package dev.tandem.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.data.Datum;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PooledRecordsTest {

  @Test
  void recordsAreCifarLike() {
    List<String> keys = new ArrayList<>();
    List<Datum> datums = new ArrayList<>();
    new PooledRecords()
        .writeTo(
            (key, value) -> {
              keys.add(new String(key.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII));
              Datum datum = Datum.decode(value);
              assertEquals(3_083, value.byteSize());
              datums.add(Datum.decode(value.asSlice(0)));
              assertEquals(32, datum.width());
            },
            1_002,
            3);
    assertEquals("000", keys.getFirst());
    assertEquals("1001", keys.getLast());
    assertEquals(1, datums.getLast().label());
  }
}
