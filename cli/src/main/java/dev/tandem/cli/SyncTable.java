package dev.tandem.cli;

import dev.tandem.oracle.sync.SimulatedPolicy;
import dev.tandem.oracle.sync.SimulatedSync;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints simulated synchronisation, a table for each network: ranks down, policies across. */
final class SyncTable {

  private final List<SimulatedSync> rows;
  private final List<SimulatedPolicy> policies;

  SyncTable(List<SimulatedSync> rows, List<SimulatedPolicy> policies) {
    this.rows = rows;
    this.policies = policies;
  }

  void print(PrintWriter out) {
    byNetwork().forEach((network, own) -> print(out, network, own));
  }

  private Map<String, List<SimulatedSync>> byNetwork() {
    return rows.stream()
        .collect(
            Collectors.groupingBy(SimulatedSync::network, LinkedHashMap::new, Collectors.toList()));
  }

  private void print(PrintWriter out, String network, List<SimulatedSync> own) {
    out.printf(
        "%nsimulated: %s, %s scaling; ms per iteration, slowdown from linear scaling,"
            + " gain over the baseline%n",
        network, own.getFirst().scaling());
    out.printf("%7s %7s", "ranks", "batch");
    policies.forEach(policy -> out.printf("  %22s", policy.code()));
    out.println();
    for (int i = 0; i < own.size(); i += policies.size()) {
      SimulatedSync first = own.get(i);
      out.printf(Locale.ROOT, "%,7d %7.4g", first.ranks(), first.batch());
      own.subList(i, i + policies.size())
          .forEach(
              row ->
                  out.printf(
                      Locale.ROOT,
                      "  %8.1f %5.2fx %+6.1f%%",
                      row.iterationMillis(),
                      row.slowdown(),
                      row.gainPercent()));
      out.println();
    }
    out.printf("%15s", "best gain");
    for (SimulatedPolicy policy : policies) {
      double best =
          own.stream()
              .filter(row -> row.policy().equals(policy.code()))
              .mapToDouble(SimulatedSync::gainPercent)
              .max()
              .orElseThrow();
      out.printf(Locale.ROOT, "  %+21.1f%%", best);
    }
    out.println();
  }
}
