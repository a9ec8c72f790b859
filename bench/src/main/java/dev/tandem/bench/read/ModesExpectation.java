package dev.tandem.bench.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the thesis expects of one mode against another, and why it may be otherwise here. */
enum ModesExpectation {
  ONE_NODE(
      "dm",
      "lmm",
      Relation.NOT_AHEAD,
      "dm does not beat lmm on one node (4.3.1)",
      "dm touches the pages that it expects in the order of the file before it walks, which asks"
          + " for them in fewer and larger requests than the walk does"),
  EXPLICIT(
      "prov",
      "dm",
      Relation.AHEAD,
      "explicit reads beat mmap (5.4)",
      "a few megabytes a reader: starting the threads of explicit reads and compiling them in new"
          + " JVMs costs more than the requests that they save"),
  COALESCED_SMALL(
      "coal",
      "prov",
      Relation.AHEAD,
      "coalescing gains on CIFAR (5.4)",
      "prov's requests are merged within an iteration already and have up to 512 KiB; there is"
          + " little left to save, and coal's first batch waits for a larger round"),
  COALESCED_LARGE(
      "coal",
      "prov",
      Relation.BEHIND,
      "on ImageNet coal falls behind without stag (5.2.3)",
      "requests that come out of order cost nothing extra here: no disk arm has to move and no"
          + " servers are shared"),
  STAGGERED(
      "stag",
      "coal",
      Relation.AHEAD,
      "stag gains over coal (5.4)",
      "there is nothing to protect from interleaved requests, so half of the readers only wait");

  /** Ratios nearer to 1 than this say nothing in single runs. */
  private static final double NOISE = 0.1;

  /** How the speed of a mode lies to another's. */
  private enum Relation {
    AHEAD,
    NOT_AHEAD,
    BEHIND;

    boolean holds(double ratio) {
      return switch (this) {
        case AHEAD -> ratio > 1 + NOISE;
        case NOT_AHEAD -> ratio <= 1 + NOISE;
        case BEHIND -> ratio < 1 - NOISE;
      };
    }
  }

  private final String mode;
  private final String against;
  private final Relation expected;
  private final String thesis;
  private final String why;

  ModesExpectation(String mode, String against, Relation expected, String thesis, String why) {
    this.mode = mode;
    this.against = against;
    this.expected = expected;
    this.thesis = thesis;
    this.why = why;
  }

  private boolean appliesTo(String database) {
    return switch (this) {
      case COALESCED_SMALL -> database.equals("cifar");
      case COALESCED_LARGE -> database.equals("imagenet");
      case ONE_NODE, EXPLICIT, STAGGERED -> true;
    };
  }

  /**
   * A line for each expectation, and one with the reason where results differ.
   *
   * @param processes the columns
   * @param speeds by mode and processes, where they were measured
   */
  static List<String> compare(
      String database, List<Integer> processes, Map<String, Map<Integer, Double>> speeds) {
    List<String> lines = new ArrayList<>();
    for (ModesExpectation expectation : values()) {
      if (expectation.appliesTo(database)) {
        lines.addAll(expectation.compare(processes, speeds));
      }
    }
    return lines;
  }

  private List<String> compare(List<Integer> processes, Map<String, Map<Integer, Double>> speeds) {
    StringBuilder ratios =
        new StringBuilder(String.format(Locale.ROOT, "%-40s", "    " + mode + " to " + against));
    double product = 1;
    int compared = 0;
    for (int count : processes) {
      Double own = speeds.getOrDefault(mode, Map.of()).get(count);
      Double other = speeds.getOrDefault(against, Map.of()).get(count);
      if (own == null || other == null) {
        ratios.append("        -");
        continue;
      }
      ratios.append(String.format(Locale.ROOT, "%8.2fx", own / other));
      // With one process nobody is staggered, and nothing is out of order.
      if (count > 1) {
        product *= own / other;
        compared++;
      }
    }
    if (compared == 0) {
      return List.of();
    }
    double mean = Math.pow(product, 1.0 / compared);
    List<String> lines = new ArrayList<>();
    boolean same = Math.abs(mean - 1) <= NOISE;
    boolean agrees = expected.holds(mean);
    String verdict = agrees ? "agrees" : same ? "no difference here" : "differs";
    lines.add("%s  thesis: %s: %s".formatted(ratios, thesis, verdict));
    if (!agrees) {
      lines.add("      why: " + why);
    }
    return lines;
  }
}
