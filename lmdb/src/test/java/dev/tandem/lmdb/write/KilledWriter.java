package dev.tandem.lmdb.write;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Writes until it is killed, in a process of its own. Transaction k makes changes that follow from
 * k alone, and its number is printed once the commit has returned, so that others can tell what the
 * database must hold.
 */
final class KilledWriter {

  /** Holds the number of the last transaction, big-endian. */
  static final byte[] STATE = "state".getBytes(US_ASCII);

  private static final int KEYS = 400;

  private KilledWriter() {}

  /** Arguments: folder, how many transactions at most, "sync" or "nosync". */
  public static void main(String[] arguments) throws IOException {
    int limit = Integer.parseInt(arguments[1]);
    WriterOptions options = WriterOptions.DEFAULT.withSync(arguments[2].equals("sync"));
    OutputStream out = System.out;
    try (EnvironmentWriter environment = EnvironmentWriter.open(Path.of(arguments[0]), options)) {
      for (int i = 0; i < limit; i++) {
        try (WriteTransaction transaction = environment.begin()) {
          long k = transaction.id();
          WriteDatabase database = transaction.main();
          changes(k, database::put, database::delete);
          transaction.commit();
          out.write((k + "\n").getBytes(US_ASCII));
          out.flush();
        }
      }
    }
  }

  /** The changes of transaction k. */
  static void changes(long k, BiConsumer<byte[], byte[]> put, Consumer<byte[]> delete) {
    SplittableRandom random = new SplittableRandom(k);
    int count = 1 + random.nextInt(40);
    for (int i = 0; i < count; i++) {
      byte[] key = ("key" + random.nextInt(KEYS)).getBytes(US_ASCII);
      if (random.nextInt(10) < 4) {
        delete.accept(key);
      } else {
        byte[] value = new byte[random.nextInt(random.nextInt(5) == 0 ? 20_000 : 300)];
        random.nextBytes(value);
        put.accept(key, value);
      }
    }
    put.accept(STATE, ByteBuffer.allocate(Long.BYTES).putLong(k).array());
  }
}
