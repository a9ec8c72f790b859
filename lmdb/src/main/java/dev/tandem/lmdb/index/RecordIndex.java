package dev.tandem.lmdb.index;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.Cursor;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.page.PageView;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.SnapshotOverwrittenException;
import dev.tandem.lmdb.page.TreeShape;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The place of every record's value in the data file, by ordinal (key order, duplicates one by
 * one): any record is then one read. Exact for every layout, and bound to one state of the
 * database, so that {@link #openOrBuild} notices a changed database and builds again.
 *
 * <p>Kept beside the database in a small file ({@link #fileOf}). Immutable; any thread may use it,
 * also without the environment being open.
 */
public final class RecordIndex {

  /** How often a build is begun again when a writer overwrites its snapshot. */
  private static final int ATTEMPTS = 5;

  private static final int MAX_PROBLEMS = 100;

  private final IndexBinding binding;
  private final LocationTables tables;

  /** Null unless locations were computed from creation parameters. */
  private final ComputedLocations computed;

  private final int[] checksums;
  private final NumberedKeys keys;
  private String origin = "loaded";

  /**
   * @param checksums one a record, or null
   * @param keys how they count, or null
   */
  RecordIndex(
      IndexBinding binding,
      LeafTable leaves,
      Locations locations,
      int[] checksums,
      NumberedKeys keys) {
    this.binding = binding;
    this.tables = new LocationTables(leaves, locations);
    this.computed = null;
    this.checksums = checksums;
    this.keys = keys;
  }

  private RecordIndex(IndexBinding binding, ComputedLocations computed) {
    this.binding = binding;
    this.tables = null;
    this.computed = computed;
    this.checksums = null;
    this.keys = computed.keys();
    this.origin = "computed from creation parameters";
  }

  /**
   * The index of a database by its creation parameters: nothing is read now. Each leaf is compared
   * with the database when a location of its records is first asked for, so the snapshot must stay
   * open as long as this index is used; it cannot be saved.
   *
   * @param fallBack whether a difference makes the index read the tree, instead of failing with a
   *     {@link WorkFailedException}; what was said of other records remains true if keys count
   */
  public static RecordIndex compute(Database database, Provenance provenance, boolean fallBack) {
    return new RecordIndex(
        IndexBinding.of(database), new ComputedLocations(database, provenance, fallBack));
  }

  private LocationTables tables(long ordinal) {
    Objects.checkIndex(ordinal, size());
    return computed == null ? tables : computed.tables(ordinal);
  }

  /** The index of the main database: from its file, or built and saved there if need be. */
  public static RecordIndex openOrBuild(Path environment, Progress progress) {
    return openOrBuild(environment, Optional.empty(), false, progress);
  }

  /**
   * The index of a database: from its file, or built and saved there if the file is missing,
   * damaged, of an older state, or lacks checksums that are asked for. {@link #origin()} says which
   * it was. If it cannot be saved (a read-only medium), it is used without.
   *
   * @param database name of a named database, or empty for the main one
   */
  public static RecordIndex openOrBuild(
      Path environment, Optional<String> database, boolean withChecksums, Progress progress) {
    // Locks would take a new JVM longer than the index does; a writer in between is noticed.
    try (Environment open = Environment.openWithoutLock(environment)) {
      Path file = fileOf(environment, database);
      for (int attempt = 1; ; attempt++) {
        try (Snapshot snapshot = open.snapshot()) {
          Database chosen =
              database.isPresent() ? snapshot.database(database.get()) : snapshot.main();
          return openOrBuild(file, chosen, withChecksums, progress);
        } catch (SnapshotOverwrittenException e) {
          if (attempt == ATTEMPTS) {
            throw e;
          }
        }
      }
    }
  }

  private static RecordIndex openOrBuild(
      Path file, Database database, boolean withChecksums, Progress progress) {
    String reason = "built";
    if (Files.exists(file)) {
      try {
        RecordIndex index = load(file);
        if (!index.describes(database)) {
          reason = "built again: the database changed since the index was made";
        } else if (withChecksums && index.checksums == null) {
          reason = "built again: the index had no checksums";
        } else {
          return index;
        }
      } catch (WorkFailedException e) {
        reason = "built again: " + e.getMessage();
      }
    }
    RecordIndex index = build(database, withChecksums, progress);
    try {
      index.save(file);
    } catch (WorkFailedException e) {
      reason += "; not saved: " + e.getMessage();
    }
    index.origin = reason;
    return index;
  }

  /** Builds the index of a database, by one pass over its branch and leaf pages. */
  public static RecordIndex build(Database database, boolean withChecksums, Progress progress) {
    IndexScan.Result found = IndexScan.scan(database, progress);
    int[] checksums =
        withChecksums ? RecordChecksums.compute(database, found.locations(), progress) : null;
    RecordIndex index =
        new RecordIndex(
            IndexBinding.of(database), found.leaves(), found.locations(), checksums, found.keys());
    index.origin = "built";
    return index;
  }

  /**
   * Where the index of a database belongs: {@code data.mdb.tdx} beside {@code data.mdb}, {@code
   * NAME.tdx} for a named database.
   */
  public static Path fileOf(Path environment, Optional<String> database) {
    Path data = Environment.dataFile(environment);
    String file = data.getFileName().toString();
    String name = file;
    if (database.isPresent()) {
      String encoded = URLEncoder.encode(database.get(), StandardCharsets.UTF_8);
      name = file.equals(Environment.DATA_FILE) ? encoded : file + "-" + encoded;
    }
    return data.resolveSibling(name.concat(".tdx"));
  }

  /** Reads an index; fails with a line if the file is damaged. */
  public static RecordIndex load(Path file) {
    try {
      return RecordIndexFile.decode(ByteBuffer.wrap(Files.readAllBytes(file)));
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
      throw new WorkFailedException("cannot use " + file + ": " + e.getMessage(), e);
    }
  }

  /** Replaces the file, whole or not at all. */
  public void save(Path file) {
    if (computed != null) {
      throw new IllegalStateException("a computed index cannot be saved");
    }
    DurableFiles.system().replace(file, RecordIndexFile.encode(this));
  }

  /** How this index came to be, in a line: loaded, built, or built again and why. */
  public String origin() {
    return origin;
  }

  /** The index belongs to exactly this state of the database. */
  public boolean describes(Database database) {
    return binding.same(IndexBinding.of(database));
  }

  /** Number of records. */
  public long size() {
    return computed == null ? tables.locations().size() : binding.entries();
  }

  /** Byte of the data file where the value of a record begins; it lies there in one piece. */
  public long offset(long ordinal) {
    return tables(ordinal).locations().offset(ordinal);
  }

  /** Length of the value of a record in bytes. */
  public long length(long ordinal) {
    return tables(ordinal).locations().length(ordinal);
  }

  /**
   * A leaf page.
   *
   * @param first ordinal of its first record
   * @param end ordinal after that of its last record
   */
  public record Leaf(long page, long first, long end) {}

  /** The leaf that has the key of a record. */
  public Leaf leaf(long ordinal) {
    LeafTable leaves = tables(ordinal).leaves();
    int leaf = leaves.leafOf(ordinal);
    long end = leaf + 1 < leaves.size() ? leaves.first(leaf + 1) : size();
    return new Leaf(leaves.page(leaf), leaves.first(leaf), end);
  }

  /** How the keys count, if they do; then no leaf is needed to know one. */
  public Optional<NumberedKeys> numberedKeys() {
    return Optional.ofNullable(keys);
  }

  /** Bytes of the longest value; 0 without records. */
  public long longestValue() {
    return size() == 0 ? 0 : tables(0).locations().longest();
  }

  /** Bytes a page of the database. */
  public int pageSize() {
    return binding.pageSize();
  }

  /** The key of a record, from its leaf; borrowed until the snapshot closes. */
  public MemorySegment key(Snapshot snapshot, long ordinal) {
    Pages pages = snapshot.pages();
    Leaf leaf = leaf(ordinal);
    long left = ordinal - leaf.first();
    PageView view = new PageView(pages);
    try {
      view.load(leaf.page(), false, -1, pages.position(leaf.page()));
      for (int i = 0; i < view.count(); i++) {
        int node = view.node(i);
        long here = TreeShape.recordsOf(pages, view, node);
        if (left < here) {
          pages.ensureIntact();
          return pages.slice(view.filePosition(view.keyAt(i)), view.keySize(i));
        }
        left -= here;
      }
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw pages.unreadable(e);
    }
    throw pages.damaged(view.start(), "the leaf has fewer records than the index says");
  }

  /**
   * Compares the index with the database: every record's place, its key if keys count, and its
   * checksum if there are any.
   *
   * @return one line a difference, the first hundred
   */
  public List<String> verify(Database database, Progress progress) {
    if (!describes(database)) {
      return List.of("the index is of another state of the database; build it again");
    }
    List<String> problems = Collections.synchronizedList(new ArrayList<>());
    RecordChecksums.forEach(
        database,
        size(),
        "verify ",
        progress,
        (ordinal, cursor) -> {
          String problem = difference(ordinal, cursor);
          if (problem != null && problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
          }
        });
    return List.copyOf(problems);
  }

  private String difference(long ordinal, Cursor cursor) {
    String what = null;
    if (cursor.valuePosition() != offset(ordinal) || cursor.valueLength() != length(ordinal)) {
      what = "lies at byte " + cursor.valuePosition() + " instead";
    } else if (keys != null && !keys.same(ordinal, cursor.key())) {
      what = "has another key than the index says";
    } else if (checksums != null && RecordChecksums.of(cursor) != checksum(ordinal)) {
      what = "differs from its checksum";
    }
    return what == null ? null : "record " + ordinal + " (byte " + offset(ordinal) + ") " + what;
  }

  /** The index has a checksum for each record. */
  public boolean hasChecksums() {
    return checksums != null;
  }

  /** CRC-32C of key and value of a record. */
  public int checksum(long ordinal) {
    if (checksums == null) {
      throw new IllegalStateException("the index has no checksums");
    }
    return checksums[Math.toIntExact(ordinal)];
  }

  /** Bytes of memory that the index takes. */
  public long memory() {
    LocationTables known = computed == null ? tables : computed.tables();
    return known.locations().memory()
        + known.leaves().memory()
        + (checksums == null ? 0 : 4L * checksums.length);
  }

  IndexBinding binding() {
    return binding;
  }

  LeafTable leaves() {
    return tables.leaves();
  }

  Locations locations() {
    return tables.locations();
  }

  NumberedKeys keys() {
    return keys;
  }

  int[] checksums() {
    return checksums;
  }
}
