package dev.tandem.tune.sample.tpe;

import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Report;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A history as columns of internal numbers, with sorted orders that grow with it: rows are the
 * trials that count, in the order of the history, then those that are pending. Trials that were
 * seen before, compared by identity, are not looked at again.
 */
final class Observations {

  private static final double NONE = Double.NaN;

  private final Space space;
  private final List<Parameter> parameters;
  private final Map<String, Integer> places = new HashMap<>();

  /** All trials of the history that were looked at, also those that do not count. */
  private final List<Trial> seen = new ArrayList<>();

  private double[][] columns;

  /** Rows of each column by value; those without the parameter are not in it. */
  private final int[][] sorted;

  private final int[] present;

  /** Rows of ended trials, the best one first; three keys of each row. */
  private int[] ranked = new int[16];

  private double[][] keys = new double[2][16];
  private int ended;
  private int rows;

  Observations(Space space) {
    this.space = space;
    this.parameters = space.parameters();
    for (int i = 0; i < parameters.size(); i++) {
      places.put(parameters.get(i).name(), i);
    }
    columns = new double[parameters.size()][16];
    sorted = new int[parameters.size()][16];
    present = new int[parameters.size()];
  }

  /** Whether these are observations of the space and of a beginning of the history. */
  @SuppressWarnings("ReferenceEquality") // The same trial is meant, and found fast.
  boolean continuedBy(Space other, History history) {
    if (space != other || seen.size() > history.ended().size()) {
      return false;
    }
    for (int i = 0; i < seen.size(); i++) {
      if (seen.get(i) != history.ended().get(i)) {
        return false;
      }
    }
    return true;
  }

  /** Takes in what is new, and what is pending instead of what was. */
  void update(History history, boolean withPending) {
    forgetPending();
    for (int i = seen.size(); i < history.ended().size(); i++) {
      Trial trial = history.ended().get(i);
      seen.add(trial);
      if (trial.counts()) {
        add(trial.parameters());
        rank(history, trial);
        ended++;
      }
    }
    if (withPending) {
      history.pending().forEach(trial -> add(trial.parameters()));
    }
  }

  private void forgetPending() {
    for (int p = 0; p < sorted.length; p++) {
      int kept = 0;
      for (int i = 0; i < present[p]; i++) {
        if (sorted[p][i] < ended) {
          sorted[p][kept++] = sorted[p][i];
        }
      }
      present[p] = kept;
    }
    rows = ended;
  }

  private void add(Parameters values) {
    for (int p = 0; p < columns.length; p++) {
      if (rows == columns[p].length) {
        columns[p] = Arrays.copyOf(columns[p], 2 * rows);
        sorted[p] = Arrays.copyOf(sorted[p], 2 * rows);
      }
      Parameter parameter = parameters.get(p);
      Domain domain = parameter.domain();
      double value =
          values.has(parameter.name()) ? domain.internal(values.value(parameter.name())) : NONE;
      columns[p][rows] = value;
      if (!Double.isNaN(value)) {
        insert(p, value);
      }
    }
    rows++;
  }

  private void insert(int column, double value) {
    int[] order = sorted[column];
    int from = 0;
    int to = present[column];
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (columns[column][order[middle]] <= value) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    System.arraycopy(order, from, order, from + 1, present[column] - from);
    order[from] = rows;
    present[column]++;
  }

  /** Complete trials by value, then pruned ones: those that came far first, by their last value. */
  private void rank(History history, Trial trial) {
    if (ended == ranked.length) {
      ranked = Arrays.copyOf(ranked, 2 * ended);
      keys = new double[][] {Arrays.copyOf(keys[0], 2 * ended), Arrays.copyOf(keys[1], 2 * ended)};
    }
    double progress = Double.NEGATIVE_INFINITY;
    double loss = history.loss(trial);
    if (trial.state() == TrialState.PRUNED) {
      if (trial.reports().isEmpty()) {
        progress = Double.POSITIVE_INFINITY;
        loss = 0;
      } else {
        Report last = trial.reports().getLast();
        progress = -last.step();
        loss = history.loss(last);
      }
    }
    keys[0][ended] = progress;
    keys[1][ended] = loss;
    int from = 0;
    int to = ended;
    while (from < to) {
      int middle = (from + to) >>> 1;
      int row = ranked[middle];
      boolean before =
          keys[0][row] < progress || (keys[0][row] == progress && keys[1][row] <= loss);
      if (before) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    System.arraycopy(ranked, from, ranked, from + 1, ended - from);
    ranked[from] = ended;
  }

  /** How many trials have ended and count. */
  int ended() {
    return ended;
  }

  /** How many rows there are, pending ones included. */
  int rows() {
    return rows;
  }

  /** Which rows are the best of those that have ended. */
  boolean[] best(int count) {
    boolean[] best = new boolean[rows];
    for (int i = 0; i < count; i++) {
      best[ranked[i]] = true;
    }
    return best;
  }

  int column(Parameter parameter) {
    return places.get(parameter.name());
  }

  /** The internal number of a row; NaN if the parameter was not there. */
  double value(int column, int row) {
    return columns[column][row];
  }

  /** Whether a row has values of all the parameters of these columns. */
  boolean has(int row, int[] all) {
    for (int column : all) {
      if (Double.isNaN(columns[column][row])) {
        return false;
      }
    }
    return true;
  }

  /** How many rows have a parameter. */
  int present(int column) {
    return present[column];
  }

  /** The row with the i-th smallest value of a parameter. */
  int sorted(int column, int i) {
    return sorted[column][i];
  }
}
