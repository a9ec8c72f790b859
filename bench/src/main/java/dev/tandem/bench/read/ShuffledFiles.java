package dev.tandem.bench.read;

import dev.tandem.core.Seed;
import dev.tandem.data.read.mode.BatchPlan;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.posix.FileErrors;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What peers need to read in Tandem's random order: they have no ordinals, so they get the list of
 * all keys, and the order.
 *
 * @param keys of all records in their order: a byte of length, then the key
 * @param order ordinals in the order of reading, over the epochs of {@link ReadPlan#LOADER_EPOCHS},
 *     32 bits each, little-endian
 */
record ShuffledFiles(Path keys, Path order) {

  /** The seed that {@code tandem data read} has by default. */
  private static final Seed SEED = new Seed(1);

  /** Writes both files into a folder. */
  static ShuffledFiles write(ReadDatabase database, Path folder) {
    ShuffledFiles files =
        new ShuffledFiles(
            folder.resolve(database.name() + ".keys"), folder.resolve(database.name() + ".order"));
    try {
      writeKeys(database, files.keys);
      writeOrder(database, files.order);
      return files;
    } catch (IOException e) {
      throw FileErrors.failure("write into", folder, e);
    }
  }

  private static void writeKeys(ReadDatabase database, Path file) throws IOException {
    try (Environment environment = Environment.openWithoutLock(database.folder());
        Snapshot snapshot = environment.snapshot();
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      Cursor cursor = snapshot.main().cursor();
      while (cursor.next()) {
        byte[] key = cursor.key().toArray(ValueLayout.JAVA_BYTE);
        out.write(key.length);
        out.write(key);
      }
    }
  }

  private static void writeOrder(ReadDatabase database, Path file) throws IOException {
    // The order does not depend on the batch and the readers.
    BatchPlan order = new BatchPlan(database.records(), 1, 1, 0, BatchPlan.Access.SHUFFLED, SEED);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (long place = 0; place < ReadPlan.LOADER_EPOCHS * database.records(); place++) {
        long ordinal = order.ordinal(place);
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
          out.write((int) (ordinal >> shift));
        }
      }
    }
  }
}
