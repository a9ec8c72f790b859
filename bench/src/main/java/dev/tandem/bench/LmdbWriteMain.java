package dev.tandem.bench;

import dev.tandem.data.importing.CommittingWriter;
import dev.tandem.lmdb.write.WriterOptions;
import java.nio.file.Path;

/** Tandem's side of the write benchmark, in a process of its own; prints seconds. */
final class LmdbWriteMain {

  private LmdbWriteMain() {}

  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    long records = Long.parseLong(args[1]);
    long commitEvery = Long.parseLong(args[2]);
    int keyDigits = Integer.parseInt(args[3]);
    PooledRecords pool = new PooledRecords();
    long began = System.nanoTime();
    try (CommittingWriter writer =
        CommittingWriter.open(folder, WriterOptions.DEFAULT, commitEvery)) {
      pool.writeTo(writer, records, keyDigits);
      writer.finish();
    }
    System.out.println((System.nanoTime() - began) / 1e9);
  }
}
