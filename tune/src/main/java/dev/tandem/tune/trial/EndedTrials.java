package dev.tandem.tune.trial;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.RandomAccess;

/** A list that only grows, and views of its beginnings, which never change. One thread. */
public final class EndedTrials {

  private final List<Trial> trials = new ArrayList<>();

  /** Adds one at the end. */
  public void add(Trial trial) {
    trials.add(trial);
  }

  /** How many there are. */
  public int size() {
    return trials.size();
  }

  /** The first of them. */
  public List<Trial> first(int count) {
    if (count > trials.size()) {
      throw new IndexOutOfBoundsException(count + " of " + trials.size() + " trials");
    }
    return new Beginning(trials, count);
  }

  private static final class Beginning extends AbstractList<Trial> implements RandomAccess {

    private final List<Trial> all;
    private final int count;

    Beginning(List<Trial> all, int count) {
      this.all = all;
      this.count = count;
    }

    @Override
    public Trial get(int index) {
      if (index >= count) {
        throw new IndexOutOfBoundsException(index + " of " + count);
      }
      return all.get(index);
    }

    @Override
    public int size() {
      return count;
    }
  }
}
