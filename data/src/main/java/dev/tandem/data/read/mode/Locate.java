package dev.tandem.data.read.mode;

import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.lmdb.index.Provenance;
import dev.tandem.lmdb.index.RecordIndex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How the modes prov, coal and stag learn where the records of a database are. */
public enum Locate {
  /**
   * From the index beside the database; without one from creation parameters, where an index could
   * not be stored and they apply; else an index is built.
   */
  AUTO,
  /** From the index, which is built if it is missing. */
  INDEX,
  /** From creation parameters alone, which the database is checked against while it is read. */
  PROVENANCE;

  /** The codes of all, as on the command line. */
  public static final List<String> CODES = Arrays.stream(values()).map(Locate::code).toList();

  /** The name on the command line. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The one of this code. */
  public static Locate of(String code) {
    for (Locate locate : values()) {
      if (locate.code().equals(code)) {
        return locate;
      }
    }
    throw new UsageException("locate '%s': expected one of %s".formatted(code, CODES));
  }

  /** Refuses {@code provenance} for a database whose layout follows from no parameters. */
  public void check(Path database) {
    if (this == PROVENANCE) {
      try (Environment environment = Environment.openWithoutLock(database);
          Snapshot snapshot = environment.snapshot()) {
        provenance(environment.file(), snapshot);
      }
    }
  }

  /** Where the records of the main database are; used while the snapshot is open. */
  public RecordIndex index(Path database, Snapshot snapshot) {
    Path file = RecordIndex.fileOf(database, Optional.empty());
    boolean canStore = Files.isWritable(file.toAbsolutePath().getParent());
    return index(database, snapshot, Files.exists(file) || canStore);
  }

  /**
   * As the other, for a folder in which an index is stored, or can be.
   *
   * @param stored whether that is so
   */
  public RecordIndex index(Path database, Snapshot snapshot, boolean stored) {
    if (this == PROVENANCE) {
      return RecordIndex.compute(snapshot.main(), provenance(database, snapshot), false);
    }
    if (this == AUTO && !stored) {
      Optional<Provenance> made = Provenance.derive(snapshot.main()).provenance();
      if (made.isPresent()) {
        RecordIndex computed = RecordIndex.compute(snapshot.main(), made.get(), true);
        // Keys that count prove each leaf for itself.
        if (computed.numberedKeys().isPresent()) {
          return computed;
        }
      }
    }
    RecordIndex index = RecordIndex.openOrBuild(database, Progress.SILENT);
    // A writer may have committed since the snapshot was taken.
    return index.describes(snapshot.main())
        ? index
        : RecordIndex.build(snapshot.main(), false, Progress.SILENT);
  }

  private static Provenance provenance(Path database, Snapshot snapshot) {
    Provenance.Derivation derived = Provenance.derive(snapshot.main());
    return derived
        .provenance()
        .orElseThrow(
            () ->
                new UsageException(
                    "cannot locate the records of %s by provenance: %s; use locate index or auto"
                        .formatted(database, derived.reason())));
  }
}
