package dev.tandem.sync.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

class SearchTest {

  private static final long MEBIBYTE = 1 << 20;

  private static Candidate winner(Search search, ToDoubleFunction<Candidate> millis) {
    while (!search.done()) {
      search.step(millis.applyAsDouble(search.current()));
      if (search.stageEnded()) {
        search.choose(search.medians());
      }
    }
    return search.current();
  }

  private static Search search(long bytes) {
    return new Search(Search.Effort.DEFAULT, bytes);
  }

  @Test
  void theFastestPolicyWithItsBestCapAndCycleWins() {
    SplittableRandom random = new SplittableRandom(7);
    Candidate best =
        winner(
            search(500 * MEBIBYTE),
            candidate ->
                (candidate.code().equals("nbcs") ? 10 : 40)
                    + Math.abs(candidate.cycleNanos() / 1e6 - 2.5)
                    + Math.abs(candidate.fusionBytes() - 5 * MEBIBYTE) / 1e7
                    // Now and then a step is far too long: medians do not see it.
                    + (random.nextInt(10) == 0 ? 100 : random.nextDouble(0.05)));
    assertEquals(new Candidate("nbcs", 2_500_000, 5 * MEBIBYTE), best);
  }

  @Test
  void differencesBelowTheMarginChangeNothing() {
    Candidate first = search(MEBIBYTE).current();
    List<Candidate> tried = new ArrayList<>();
    Candidate best =
        winner(
            search(500 * MEBIBYTE),
            candidate -> {
              tried.add(candidate);
              return candidate.equals(first) ? 10 : 9.9;
            });
    assertEquals(first, best);
    assertTrue(tried.size() > 100, "%d steps".formatted(tried.size()));
  }

  @Test
  void capsThatEverythingFitsUnderAreNotTried() {
    List<Candidate> tried = new ArrayList<>();
    winner(
        search(3 * MEBIBYTE),
        candidate -> {
          tried.add(candidate);
          return candidate.code().equals("topo") ? 5 : 10;
        });
    List<Long> caps =
        tried.stream()
            .filter(candidate -> candidate.code().equals("topo"))
            .map(Candidate::fusionBytes)
            .distinct()
            .toList();
    assertEquals(List.of(25 * MEBIBYTE, MEBIBYTE), caps);
  }

  @Test
  void roundsGoForwardAndBackward() {
    Search search = search(0);
    List<String> turns = new ArrayList<>();
    for (int step = 0; step < 10 * 7; step++) {
      if (step % 7 == 0) {
        turns.add(search.current().code());
      }
      search.step(1);
    }
    assertEquals(turns.subList(0, 5), turns.subList(5, 10).reversed());
  }
}
