package dev.tandem.bench.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What reading has to reach at least, and whether it did in these results. */
public final class ReadFloors {

  private static final String CEILING = "ceiling";
  private static final String LIBLMDB = "liblmdb";

  private final List<ReadRow> rows;
  private final List<Verdict> verdicts = new ArrayList<>();

  /**
   * One demand.
   *
   * @param reached the ratio that was measured
   */
  public record Verdict(String what, double floor, double reached) {

    public boolean met() {
      return reached >= floor;
    }
  }

  private ReadFloors(List<ReadRow> rows) {
    this.rows = rows;
  }

  /** Compares all demands for which there are results. */
  public static List<Verdict> check(List<ReadRow> rows) {
    ReadFloors floors = new ReadFloors(rows);
    for (ReadRow row : rows) {
      boolean cifar = row.database().equals("cifar");
      switch (row.access()) {
        case STRIDED -> {
          if (row.cache().equals("warm")) {
            floors.warm(row, cifar);
          } else {
            floors.strided(row, cifar);
          }
        }
        case SHUFFLED -> {
          floors.demand(row, "auto", LIBLMDB, 3.5);
          floors.demand(row, "auto", "liblmdb-nordahead", 2);
        }
        case LIMITED ->
            floors.demand(row, "auto", LIBLMDB, cifar ? 8 : row.processes() == 1 ? 2.5 : 1.6);
        case THROTTLED, LATENCY -> floors.perRequest(row);
      }
    }
    return floors.verdicts;
  }

  private void strided(ReadRow row, boolean cifar) {
    demand(row, "auto", CEILING, cifar ? 0.85 : 0.75);
    demand(row, "auto-noindex", CEILING, cifar ? 0.75 : 0.70);
    if (!cifar) {
      demand(row, "auto", LIBLMDB, row.readAhead() == ReadPlan.DEFAULT_READ_AHEAD ? 1.4 : 1.2);
    } else if (row.processes() != 2) {
      demand(row, "auto", LIBLMDB, row.processes() == 1 ? 1.8 : 1.3);
    }
    demand(row, "auto", "lmdbjava", cifar && row.processes() == 1 ? 2 : 1.3);
  }

  private void warm(ReadRow row, boolean cifar) {
    if (row.processes() == 1) {
      demand(row, "auto", LIBLMDB, cifar ? 1.0 : 1.2);
    } else {
      demand(row, "auto", LIBLMDB, cifar ? 0.9 : 1.0);
    }
  }

  /** Storage that charges per request. */
  private void perRequest(ReadRow row) {
    demand(row, "lmdb", LIBLMDB, 0.9);
    if (row.contender().equals("lmdb")) {
      sameCase(row).stream()
          .filter(other -> ReadPlan.MODES.contains(other.contender()))
          .max((a, b) -> Double.compare(a.megabytesPerSecond(), b.megabytesPerSecond()))
          .ifPresent(best -> add(best, "lmdb", 10, row));
    }
  }

  /** If this is the contender's row, compares it with another's of the same case. */
  private void demand(ReadRow row, String contender, String against, double floor) {
    if (row.contender().equals(contender)) {
      Optional<ReadRow> other =
          sameCase(row).stream().filter(any -> any.contender().equals(against)).findFirst();
      other.ifPresent(found -> add(row, against, floor, found));
    }
  }

  private void add(ReadRow row, String against, double floor, ReadRow other) {
    String what =
        String.format(
            Locale.ROOT,
            "%-8s %-9s %-4s read-ahead %4d, %d processes: %s to %s",
            row.database(),
            row.access(),
            row.cache(),
            row.readAhead(),
            row.processes(),
            row.contender(),
            against);
    verdicts.add(new Verdict(what, floor, row.megabytesPerSecond() / other.megabytesPerSecond()));
  }

  private List<ReadRow> sameCase(ReadRow row) {
    return rows.stream()
        .filter(
            other ->
                other.database().equals(row.database())
                    && other.access() == row.access()
                    && other.cache().equals(row.cache())
                    && other.readAhead() == row.readAhead()
                    && other.processes() == row.processes())
        .toList();
  }
}
