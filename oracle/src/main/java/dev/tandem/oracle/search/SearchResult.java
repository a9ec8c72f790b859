package dev.tandem.oracle.search;

import java.util.List;
import java.util.Map;

/**
 * What a search over a number of devices found.
 *
 * @param considered ways whose time was projected
 * @param best the fastest that fit, one for each mesh, the fastest first
 * @param families the fastest of each kind of strategy, those that fit first; of a kind of which
 *     none fits, the one that needs least memory
 * @param impossible why kinds of strategies cannot use so many devices, or cannot be planned
 */
public record SearchResult(
    int devices,
    int considered,
    List<Ranked> best,
    Map<Family, Ranked> families,
    List<String> impossible) {

  public SearchResult {
    best = List.copyOf(best);
    impossible = List.copyOf(impossible);
  }
}
