package dev.tandem.cli;

import dev.tandem.oracle.projection.Phase;
import dev.tandem.oracle.projection.Projection;
import dev.tandem.oracle.search.Advice;
import dev.tandem.oracle.search.Family;
import dev.tandem.oracle.search.Ranked;
import dev.tandem.oracle.search.SearchResult;
import dev.tandem.oracle.search.TrainingLine;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Ways to train as a table for people. */
final class PlanTable {

  /** Standard deviations of a band on each side. */
  private static final double BAND = 2;

  private static final String ROW = "%-34s %10s %19s %10s %4s %4s %4s %4s %5s %9s  %-18s %s%n";

  private final PrintWriter out;

  PlanTable(PrintWriter out) {
    this.out = out;
  }

  void print(SearchResult result) {
    out.printf(
        "%s, %,d way%s projected%n%n",
        devices(result.devices()), result.considered(), result.considered() == 1 ? "" : "s");
    out.printf(
        ROW,
        "strategy",
        "iteration",
        "within",
        "epoch",
        "IO",
        "FB",
        "GE",
        "WU",
        "comm",
        "memory",
        "",
        "bottleneck");
    List<Ranked> rows = new ArrayList<>(result.best());
    for (Ranked leader : result.families().values()) {
      boolean shown =
          rows.stream()
              .anyMatch(
                  row ->
                      Family.of(row.projection().candidate())
                          .equals(Family.of(leader.projection().candidate())));
      if (!shown) {
        rows.add(leader);
      }
    }
    rows.stream().sorted().forEach(this::row);
    if (!result.impossible().isEmpty()) {
      out.println();
      result.impossible().forEach(reason -> out.println("not possible: " + reason));
    }
  }

  private void row(Ranked ranked) {
    Projection projection = ranked.projection();
    out.printf(
        ROW,
        name(projection),
        seconds(projection.iteration()),
        seconds(low(projection)) + " to " + seconds(high(projection)),
        seconds(projection.epoch()),
        share(projection, projection.part(Phase.Part.INPUT)),
        share(projection, projection.part(Phase.Part.PASSES)),
        share(projection, projection.part(Phase.Part.GRADIENTS)),
        share(projection, projection.part(Phase.Part.UPDATE)),
        share(projection, projection.communication()),
        bytes(projection.memory().total()),
        ranked.fits() ? "fits" : "lacks " + bytes((long) ranked.missingBytes()),
        Advice.bottleneck(projection));
  }

  /** The mesh, and what is set besides. */
  static String name(Projection projection) {
    List<String> words = new ArrayList<>();
    words.add(TrainingLine.strategy(projection.candidate()));
    TrainingLine.settings(projection.candidate()).forEach(setting -> words.add(word(setting)));
    return String.join(" ", words);
  }

  private static String word(String setting) {
    if (setting.startsWith("strategy.layers=")) {
      String[] layers = setting.split(", ", -1);
      return layers.length == 1 ? "1 layer data" : layers.length + " layers data";
    }
    return setting.substring(setting.lastIndexOf('.') + 1);
  }

  static double low(Projection projection) {
    return projection.iteration() * Math.max(0, 1 - BAND * projection.spread());
  }

  static double high(Projection projection) {
    return projection.iteration() * (1 + BAND * projection.spread());
  }

  private static String share(Projection projection, double seconds) {
    return String.format(Locale.ROOT, "%.0f%%", 100 * seconds / projection.iteration());
  }

  static String devices(int count) {
    return "%,d device%s".formatted(count, count == 1 ? "" : "s");
  }

  static String seconds(double seconds) {
    if (seconds >= 2 * 3600) {
      return String.format(Locale.ROOT, "%,.1f h", seconds / 3600);
    }
    return seconds >= 1
        ? String.format(Locale.ROOT, "%,.2f s", seconds)
        : String.format(Locale.ROOT, "%.2f ms", seconds * 1000);
  }

  static String bytes(long count) {
    return count >= 1 << 30
        ? String.format(Locale.ROOT, "%.1f GB", count / 1e9)
        : String.format(Locale.ROOT, "%.0f MB", count / 1e6);
  }
}
