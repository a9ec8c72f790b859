package dev.tandem.data.read;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.LeafKeys;
import dev.tandem.lmdb.RecordIndex;
import dev.tandem.lmdb.Snapshot;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/** By the index, straight from the page cache: nothing is sought, copied or handed on. */
final class MappedReading implements Reading {

  private final BatchPlan plan;
  private final int reader;
  private final Snapshot snapshot;
  private final Path file;
  private final RecordIndex index;

  MappedReading(BatchPlan plan, int reader, Snapshot snapshot, Path file, RecordIndex index) {
    this.plan = plan;
    this.reader = reader;
    this.snapshot = snapshot;
    this.file = file;
    this.index = index;
  }

  @Override
  public void run(RecordVisitor visitor, Breakdown breakdown) {
    Database database = snapshot.main();
    MappedData data = new MappedData(file);
    IndexPlaces places = new IndexPlaces(index, database, Optional.empty());
    LeafKeys keys = new LeafKeys(database);
    Located record = new Located();
    long leaf = -1;
    long bytes = 0;
    long records = 0;
    long iteration = 0;
    Shares shares = new Shares(plan, reader);
    for (; !shares.done(); shares.next()) {
      if (shares.iteration() != iteration) {
        iteration = shares.iteration();
        snapshot.ensureIntact();
      }
      places.find(plan.ordinal(shares.place()), record);
      ByteBuffer keyWindow = data.window(record.keyPosition);
      if (record.leafPage != leaf) {
        leaf = record.leafPage;
        keys.load(leaf, keyWindow, MappedData.at(record.keyPosition));
      }
      keys.seek(record.inLeaf);
      visitor.record(
          data.view(record.keyPosition),
          keys.keyAt(),
          keys.keyLength(),
          data.view(record.valuePosition),
          MappedData.at(record.valuePosition),
          record.valueLength);
      bytes += keys.keyLength() + record.valueLength;
      records++;
    }
    snapshot.ensureIntact();
    breakdown.records += records;
    breakdown.bytesNeeded += bytes;
  }

  @Override
  public void close() {
    // The snapshot is the caller's.
  }
}
