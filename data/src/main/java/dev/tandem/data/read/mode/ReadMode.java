package dev.tandem.data.read.mode;

import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The ways of LMDBIO to read a database by several processes. They give the same records and differ
 * in which process looks for them, which one reads, and how. Roots are the processes of a host that
 * read; each hands records on to the processes that follow it. Where every process is a root,
 * nothing is handed on.
 */
public enum ReadMode {
  /** The baseline: every process finds its records by a cursor over its own mapping. */
  LMDB,
  /** Localized mapping: the roots read through their mappings for the other processes. */
  LMM,
  /**
   * Distributed mapping: every root reads through its mapping the records that are next in key
   * order, and touches the pages that it expects to need after them.
   */
  DM,
  /** Direct I/O: records are found by walking through the keys and read past the page cache. */
  DIO,
  /**
   * Provenance: where all records are is known from the record index or computed, see {@link
   * Locate}; they are read by requests.
   */
  PROV,
  /** Coalesced: as {@link #PROV}, with the requests of many iterations merged. */
  COAL,
  /** Staggered: as {@link #COAL}, but only a few roots of all hosts read at a time. */
  STAG,
  /** Chosen by the storage, the page cache and the order of the records. */
  AUTO;

  /** The codes of all modes, as on the command line. */
  public static final List<String> CODES = Arrays.stream(values()).map(ReadMode::code).toList();

  /** The name of the mode on the command line. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The mode of this code. */
  public static ReadMode of(String code) {
    for (ReadMode mode : values()) {
      if (mode.code().equals(code)) {
        return mode;
      }
    }
    throw new UsageException("read mode '%s': expected one of %s".formatted(code, CODES));
  }

  /** Refuses a way to locate records that this mode would not use. */
  public void check(Locate locate) {
    boolean locates = this == PROV || this == COAL || this == STAG || this == AUTO;
    if (locate != Locate.AUTO && !locates) {
      throw new UsageException(
          "locate %s is for read modes prov, coal and stag, not %s"
              .formatted(locate.code(), code()));
    }
  }

  /** A loader can be given records by this mode in key order only. */
  public boolean keyOrder() {
    return this == DM || this == DIO;
  }
}
