package dev.tandem.ensemble.combine;

import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.train.SavedRun;
import dev.tandem.train.config.TrainingConfig;
import java.util.ArrayList;
import java.util.List;

/** The networks of all members, open in this process; they are closed with this. One thread. */
public final class OpenMembers implements AutoCloseable {

  private final Members members;
  private final List<SavedRun> runs = new ArrayList<>();

  private OpenMembers(Members members) {
    this.members = members;
  }

  /**
   * Opens them.
   *
   * @param threads of each engine; 0 for as many as one rank of the run has
   * @param device what computes; empty as {@link SavedRun#open}
   */
  public static OpenMembers open(
      Members members, SavedRun.Which which, int threads, String device) {
    OpenMembers open = new OpenMembers(members);
    try {
      for (int i = 0; i < members.count(); i++) {
        open.runs.add(SavedRun.open(members.runs().get(i), which, threads, device));
        open.check(i);
      }
      return open;
    } catch (TandemException e) {
      open.close();
      throw e;
    }
  }

  /** The members as they were named. */
  public Members members() {
    return members;
  }

  /** By member. */
  public List<SavedRun> runs() {
    return runs;
  }

  /** The configuration of the first: data that the members have in common. */
  TrainingConfig config() {
    return runs.getFirst().config();
  }

  /** The step of each member's checkpoint. */
  List<Long> steps() {
    return runs.stream().map(SavedRun::step).toList();
  }

  private void check(int member) {
    TrainingConfig first = config();
    TrainingConfig other = runs.get(member).config();
    String name = members.names().get(member);
    if (other.regression() != first.regression()
        || other.network().classes() != first.network().classes()) {
      throw new UsageException(
          "%s answers %s, but %s %s: they cannot be combined"
              .formatted(name, answers(other), members.names().getFirst(), answers(first)));
    }
    if (!other.data().classNames().equals(first.data().classNames())) {
      throw new UsageException(
          "%s and %s have other names of classes, or in another order"
              .formatted(name, members.names().getFirst()));
    }
  }

  private static String answers(TrainingConfig config) {
    return config.network().classes() + (config.regression() ? " values" : " classes");
  }

  @Override
  public void close() {
    runs.reversed().forEach(SavedRun::close);
    runs.clear();
  }
}
