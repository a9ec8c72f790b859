package dev.tandem.cli;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.index.Provenance;
import dev.tandem.lmdb.index.RecordIndex;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * How the values of one database lie in its file, by its index.
 *
 * @param database name, or empty for the main database
 * @param inLeaves records whose value is inside a leaf; the others have pages of their own
 * @param backward records that lie before their predecessor
 * @param indexBytes of the index file, 0 if there is none for this state
 * @param indexState a line about the index file
 * @param provenance of the main database; null for others
 */
record ValueLayout(
    String database,
    long records,
    long inLeaves,
    long shortest,
    long longest,
    long valueBytes,
    long backward,
    long indexBytes,
    String indexState,
    Origin provenance) {

  /**
   * The six parameters that tell how a database was made, and how far they go.
   *
   * @param parameters in words, or empty where the layout follows none
   * @param reason why there are none, or empty
   * @param agreeing records whose location, computed from the parameters, is the one in the index
   */
  record Origin(String parameters, String reason, long agreeing) {

    static Origin of(Database database, RecordIndex index) {
      Provenance.Derivation derivation = Provenance.derive(database);
      return new Origin(
          derivation.provenance().map(Origin::words).orElse(""),
          derivation.reason(),
          derivation.provenance().map(made -> made.agreeing(index)).orElse(0L));
    }

    private static String words(Provenance made) {
      return String.format(
          Locale.ROOT,
          "a commit every %,d records, %,d records per leaf, %,d children per branch, values of %,d"
              + " bytes, %s, %d meta pages",
          made.commitEvery(),
          made.recordsPerLeaf(),
          made.childrenPerBranch(),
          made.recordSize(),
          made.order().name().toLowerCase(Locale.ROOT),
          made.metaPages());
    }
  }

  static ValueLayout of(Path environment, Database tree, Optional<String> name, Progress progress) {
    Path file = RecordIndex.fileOf(environment, name);
    RecordIndex index = null;
    long indexBytes = 0;
    String state = "none; tandem data index builds it";
    if (Files.exists(file)) {
      try {
        RecordIndex found = RecordIndex.load(file);
        if (found.describes(tree)) {
          index = found;
          indexBytes = Files.size(file);
          state =
              String.format(
                  Locale.ROOT,
                  "%s, %,d bytes%s",
                  file.getFileName(),
                  indexBytes,
                  found.hasChecksums() ? ", with checksums" : "");
        } else {
          state =
              file.getFileName() + " does not match the database; tandem data index rebuilds it";
        }
      } catch (IOException e) {
        throw FileErrors.failure("read the size of", file, e);
      } catch (WorkFailedException e) {
        state = e.getMessage();
      }
    }
    if (index == null) {
      index = RecordIndex.build(tree, false, progress);
    }
    return measured(name.orElse(""), tree, index, indexBytes, state);
  }

  private static ValueLayout measured(
      String name, Database tree, RecordIndex index, long indexBytes, String state) {
    long pageSize = tree.statistics().pageSize();
    long inLeaves = 0;
    long shortest = Long.MAX_VALUE;
    long longest = 0;
    long bytes = 0;
    long backward = 0;
    long previous = -1;
    // Without overflow pages every value is in a leaf, or in the tree of a key's duplicates.
    boolean outside = tree.statistics().overflowPages() > 0;
    for (long record = 0; record < index.size(); record++) {
      long offset = index.offset(record);
      long length = index.length(record);
      if (!outside || offset / pageSize == index.leaf(record).page()) {
        inLeaves++;
      }
      shortest = Math.min(shortest, length);
      longest = Math.max(longest, length);
      bytes += length;
      if (offset < previous) {
        backward++;
      }
      previous = offset;
    }
    return new ValueLayout(
        name,
        index.size(),
        inLeaves,
        index.size() == 0 ? 0 : shortest,
        longest,
        bytes,
        backward,
        indexBytes,
        state,
        // The parameters speak of an environment that was filled once: its main database.
        name.isEmpty() ? Origin.of(tree, index) : null);
  }

  void print(PrintWriter out) {
    String title = database.isEmpty() ? "main database" : "database " + database;
    out.printf(
        Locale.ROOT,
        "layout of %s: values of %,d to %,d bytes, %,d in all; %,d inside leaves, %,d on pages of"
            + " their own; %,d lie before their predecessor%n",
        title,
        shortest,
        longest,
        valueBytes,
        inLeaves,
        records - inLeaves,
        backward);
    out.printf("index of %s: %s%n", title, indexState);
    if (provenance != null) {
      if (provenance.parameters.isEmpty()) {
        out.printf("provenance: the layout follows no parameters: %s%n", provenance.reason);
      } else {
        out.printf(
            Locale.ROOT,
            "provenance: %s; %,d of %,d locations computed from that agree with the index%n",
            provenance.parameters,
            provenance.agreeing,
            records);
      }
    }
  }
}
