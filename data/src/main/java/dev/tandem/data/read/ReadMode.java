package dev.tandem.data.read;

import java.util.List;
import java.util.Locale;

/**
 * The ways of LMDBIO to read a database by several processes. They give the same records and differ
 * in who looks for them, who reads, and how. Root readers are the processes of a host that read;
 * each hands on to the readers that follow it, through shared memory. Where every reader is a root,
 * nothing is handed on.
 */
public sealed interface ReadMode {

  /** The codes of all modes. */
  List<String> CODES = List.of("lmdb", "lmm", "dm", "dio", "prov", "coal", "stag", "auto");

  /**
   * Which mode it is. Reading switches by this and not by the types of records: a new JVM spends
   * longer on its first switch by type than on reading 50 MB.
   */
  enum Kind {
    LMDB,
    LMM,
    DM,
    DIO,
    PROV,
    COAL,
    STAG,
    AUTO
  }

  Kind kind();

  /** The name of the mode on the command line. */
  default String code() {
    return kind().name().toLowerCase(Locale.ROOT);
  }

  /** What is set for it; the rest as it was found good. */
  ModeSettings settings();

  /** Root readers a host. */
  int roots();

  /** The baseline: every reader seeks through the others' records by a cursor over its mapping. */
  record Lmdb() implements ReadMode {
    @Override
    public Kind kind() {
      return Kind.LMDB;
    }

    @Override
    public ModeSettings settings() {
      return ModeSettings.DEFAULT;
    }

    @Override
    public int roots() {
      return Integer.MAX_VALUE;
    }
  }

  /** Localized mmap: the roots seek and read through their mappings. */
  record LocalMap(int roots) implements ReadMode {
    @Override
    public Kind kind() {
      return Kind.LMM;
    }

    @Override
    public ModeSettings settings() {
      return ModeSettings.DEFAULT.withRoots(roots);
    }
  }

  /**
   * Distributed: a portable cursor goes from root to root, so that nobody seeks through others'
   * records; meanwhile all roots touch the pages that they expect to need.
   */
  record DistributedMap(int roots) implements ReadMode {
    @Override
    public Kind kind() {
      return Kind.DM;
    }

    @Override
    public ModeSettings settings() {
      return ModeSettings.DEFAULT.withRoots(roots);
    }
  }

  /** Direct I/O: one process seeks and hands out places, the roots read them by requests. */
  record DirectSeek(int roots, Requests requests) implements ReadMode {
    @Override
    public Kind kind() {
      return Kind.DIO;
    }

    @Override
    public ModeSettings settings() {
      return new ModeSettings(roots, requests, 0, 1);
    }
  }

  /** Provenance: the record index knows all places, nobody seeks; the roots read by requests. */
  record Indexed(int roots, Requests requests) implements ReadMode {
    @Override
    public Kind kind() {
      return Kind.PROV;
    }

    @Override
    public ModeSettings settings() {
      return new ModeSettings(roots, requests, 0, 1);
    }
  }

  /** Coalesced: as {@link Indexed}, with the requests of many iterations merged. */
  record Coalesced(int roots, Requests requests, long budget) implements ReadMode {
    @Override
    public Kind kind() {
      return Kind.COAL;
    }

    @Override
    public ModeSettings settings() {
      return new ModeSettings(roots, requests, budget, 1);
    }
  }

  /**
   * Staggered: as {@link Coalesced}, but only {@code group} roots of all hosts read at a time; they
   * pass tokens on.
   */
  record Staggered(int roots, Requests requests, long budget, int group) implements ReadMode {
    @Override
    public Kind kind() {
      return Kind.STAG;
    }

    @Override
    public ModeSettings settings() {
      return new ModeSettings(roots, requests, budget, group);
    }
  }

  /** Looks at the storage and the page cache, and becomes one of the others. */
  record Automatic() implements ReadMode {
    @Override
    public Kind kind() {
      return Kind.AUTO;
    }

    @Override
    public ModeSettings settings() {
      return ModeSettings.DEFAULT;
    }

    @Override
    public int roots() {
      return Integer.MAX_VALUE;
    }
  }
}
