package dev.tandem.tune;

import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Task;
import java.util.List;

/** Makes the work of a trial out of what it is to be called with. */
@FunctionalInterface
public interface TrialWork {

  /** Ways to do it; the first that a node can hold is taken. */
  List<Task.Alternative> of(Call call);
}
