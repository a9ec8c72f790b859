import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.train.Training;
import dev.tandem.train.TrainingResult;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Random;

/**
 * Data that is made as it is read: discs and squares, each somewhere in an image of 16 x 16.
 *
 * @param size number of records
 * @param seed every process makes the same ones
 */
public record OwnRecords(long size, long seed) implements RecordSource {

  /** Arguments are settings, such as epochs=2. */
  public static void main(String[] settings) {
    String yaml =
        """
        network: {model: small-cnn, classes: 2, image: [1, 16, 16]}
        batch: {global: 32}
        schedule: {rate: 0.02, warmup-steps: 20}
        epochs: 6
        """;
    TrainingResult result =
        Training.of(yaml)
            .data(new OwnRecords(2_000, 1), new OwnRecords(400, 2))
            .set(settings)
            .run();
    System.out.printf("accuracy %.3f, in %s%n", result.accuracy(), result.folder());
  }

  @Override
  public DataRecord record(long ordinal) {
    Random random = new Random(31 * seed + ordinal);
    int label = (int) (ordinal % 2);
    int x = 5 + random.nextInt(6);
    int y = 5 + random.nextInt(6);
    byte[] pixels = new byte[16 * 16];
    for (int i = 0; i < pixels.length; i++) {
      int dx = Math.abs(i % 16 - x);
      int dy = Math.abs(i / 16 - y);
      boolean inside = label == 0 ? dx * dx + dy * dy <= 20 : Math.max(dx, dy) <= 4;
      pixels[i] = (byte) ((inside ? 200 : 40) + random.nextInt(40));
    }
    byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(ordinal).array();
    byte[] value = Datum.of(1, 16, 16, label, pixels).encode();
    return new DataRecord(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
  }

  @Override
  public void close() {}
}
