package dev.tandem.data.read;

import java.util.List;

/**
 * The ways of LMDBIO to read a database by several processes. They give the same records and differ
 * in who looks for them, who reads, and how. Root readers are the processes of a host that read;
 * each hands on to the readers that follow it, through shared memory. Where every reader is a root,
 * nothing is handed on.
 */
public sealed interface ReadMode {

  /** The codes of all modes. */
  List<String> CODES = List.of("lmdb", "lmm", "dm", "dio", "prov", "coal", "stag", "auto");

  /** The name of the mode on the command line. */
  String code();

  /** Root readers a host. */
  int roots();

  /** The baseline: every reader seeks through the others' records by a cursor over its mapping. */
  record Lmdb() implements ReadMode {
    @Override
    public String code() {
      return "lmdb";
    }

    @Override
    public int roots() {
      return Integer.MAX_VALUE;
    }
  }

  /** Localized mmap: the roots seek and read through their mappings. */
  record LocalMap(int roots) implements ReadMode {
    @Override
    public String code() {
      return "lmm";
    }
  }

  /**
   * Distributed: a portable cursor goes from root to root, so that nobody seeks through others'
   * records; meanwhile all roots touch the pages that they expect to need.
   */
  record DistributedMap(int roots) implements ReadMode {
    @Override
    public String code() {
      return "dm";
    }
  }

  /** Direct I/O: one process seeks and hands out places, the roots read them by requests. */
  record DirectSeek(int roots, Requests requests) implements ReadMode {
    @Override
    public String code() {
      return "dio";
    }
  }

  /** Provenance: the record index knows all places, nobody seeks; the roots read by requests. */
  record Indexed(int roots, Requests requests) implements ReadMode {
    @Override
    public String code() {
      return "prov";
    }
  }

  /** Coalesced: as {@link Indexed}, with the requests of many iterations merged. */
  record Coalesced(int roots, Requests requests, long budget) implements ReadMode {
    @Override
    public String code() {
      return "coal";
    }
  }

  /**
   * Staggered: as {@link Coalesced}, but only {@code group} roots of all hosts read at a time; they
   * pass tokens on.
   */
  record Staggered(int roots, Requests requests, long budget, int group) implements ReadMode {
    @Override
    public String code() {
      return "stag";
    }
  }

  /** Looks at the storage and the page cache, and becomes one of the others. */
  record Automatic() implements ReadMode {
    @Override
    public String code() {
      return "auto";
    }

    @Override
    public int roots() {
      return Integer.MAX_VALUE;
    }
  }
}
