package dev.tandem.data.importing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.ArrayRecord;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SyntheticVolumesTest {

  @Test
  void oneChannelHasTwoValues() {
    CollectedRecords records = CollectedRecords.of(new SyntheticVolumes(20, new Seed(1), 16, 1));
    for (int i = 0; i < 20; i++) {
      ArrayRecord volume = ArrayRecord.decode(records.value(i));
      assertEquals(List.of(1, 16, 16, 16), volume.shape());
      assertEquals(2, volume.values().size());
      assertTrue(volume.values().get(0) >= 1 && volume.values().get(0) <= 6);
      assertTrue(volume.values().get(1) >= 1 && volume.values().get(1) < 2.5);
    }
  }

  @Test
  void severalChannelsShowHowCloudsGrow() {
    CollectedRecords records = CollectedRecords.of(new SyntheticVolumes(10, new Seed(2), 24, 4));
    for (int i = 0; i < 10; i++) {
      ArrayRecord volume = ArrayRecord.decode(records.value(i));
      assertEquals(List.of(4, 24, 24, 24), volume.shape());
      assertEquals(4, volume.values().size());
      double first = sum(volume, 0);
      double last = sum(volume, 3);
      assertEquals(volume.values().get(3) > 1, last > first, volume.values()::toString);
    }
  }

  private static double sum(ArrayRecord volume, int channel) {
    int cube = volume.count() / 4;
    double sum = 0;
    for (int i = 0; i < cube; i++) {
      sum += volume.element(channel * cube + i);
    }
    return sum;
  }

  @Test
  void theSeedAloneDecides() {
    CollectedRecords one = CollectedRecords.of(new SyntheticVolumes(3, new Seed(1), 8, 2));
    CollectedRecords more = CollectedRecords.of(new SyntheticVolumes(4, new Seed(1), 8, 2));
    CollectedRecords other = CollectedRecords.of(new SyntheticVolumes(3, new Seed(2), 8, 2));
    for (int i = 0; i < 3; i++) {
      assertArrayEquals(one.values.get(i), more.values.get(i));
      assertFalse(Arrays.equals(one.values.get(i), other.values.get(i)));
    }
  }

  @Test
  void refusesWhatNoRecordHolds() {
    assertThrows(UsageException.class, () -> new SyntheticVolumes(1, new Seed(1), 7, 1));
    assertThrows(UsageException.class, () -> new SyntheticVolumes(1, new Seed(1), 16, 0));
    assertThrows(UsageException.class, () -> new SyntheticVolumes(1, new Seed(1), 512, 64));
  }
}
