package dev.tandem.core;

import java.util.ArrayList;
import java.util.List;

/**
 * Which places of a whole dimension a local one holds, as runs of neighbouring places in ascending
 * local order. Local places that no run covers hold nothing of the whole: a margin beyond its
 * border.
 *
 * @param whole places of the whole dimension
 * @param extent places of the local dimension
 */
public record Ranges(long whole, long extent, List<Run> runs) {

  /**
   * Neighbouring places.
   *
   * @param from the first in the whole dimension
   * @param at the first in the local dimension
   */
  public record Run(long from, long at, long length) {

    /** The first place of the whole dimension after it. */
    public long to() {
      return from + length;
    }
  }

  public Ranges {
    runs = List.copyOf(runs);
    long free = 0;
    for (Run run : runs) {
      if (run.length < 1 || run.at < free || run.from < 0 || run.to() > whole) {
        throw new IllegalArgumentException(
            "runs %s do not fit %d of %d places".formatted(runs, extent, whole));
      }
      free = run.at + run.length;
    }
    if (free > extent) {
      throw new IllegalArgumentException("runs %s in %d places".formatted(runs, extent));
    }
  }

  /** Every place. */
  public static Ranges all(long whole) {
    return of(whole, 0, whole);
  }

  /** The places from one on and before another; none if they are the same. */
  public static Ranges of(long whole, long from, long to) {
    return new Ranges(
        whole, to - from, from == to ? List.of() : List.of(new Run(from, 0, to - from)));
  }

  /** These places, one run after the other, without gaps. */
  public static Ranges joined(long whole, List<Ranges> parts) {
    List<Run> runs = new ArrayList<>();
    long at = 0;
    for (Ranges part : parts) {
      for (Run run : part.runs) {
        Run last = runs.isEmpty() ? null : runs.getLast();
        if (last != null && last.to() == run.from && last.at + last.length == at + run.at) {
          runs.set(runs.size() - 1, new Run(last.from, last.at, last.length + run.length));
        } else {
          runs.add(new Run(run.from, at + run.at, run.length));
        }
      }
      at += part.extent;
    }
    return new Ranges(whole, at, runs);
  }

  /** The same places counted in a larger whole, in which they begin at an offset. */
  public Ranges within(long larger, long offset) {
    return new Ranges(
        larger,
        extent,
        runs.stream().map(run -> new Run(run.from + offset, run.at, run.length)).toList());
  }

  /** What the local places from one on and before another hold, as places of their own. */
  public Ranges narrowed(long from, long to) {
    List<Run> kept = new ArrayList<>();
    for (Run run : runs) {
      long first = Math.max(run.at, from);
      long end = Math.min(run.at + run.length, to);
      if (first < end) {
        kept.add(new Run(run.from + first - run.at, first - from, end - first));
      }
    }
    return new Ranges(whole, to - from, kept);
  }

  /** Each place becomes this many neighbouring ones, in the whole dimension and locally. */
  public Ranges times(long factor) {
    return new Ranges(
        whole * factor,
        extent * factor,
        runs.stream()
            .map(run -> new Run(run.from * factor, run.at * factor, run.length * factor))
            .toList());
  }

  /** Whether all places are held, in their order and without margins. */
  public boolean isAll() {
    return extent == whole && (whole == 0 || runs.equals(List.of(new Run(0, 0, whole))));
  }

  /** Places of the whole dimension that are held. */
  public long held() {
    return runs.stream().mapToLong(Run::length).sum();
  }
}
