package dev.tandem.bench.tune;

import dev.tandem.bench.BenchFolder;
import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.TaskEngine;

/** A trial that has one core and starts eight programs that never rest: how many cores it uses. */
final class AffinityCase {

  private static final String SCRIPT =
      """
      read -r began rest < /proc/uptime
      for i in 1 2 3 4 5 6 7 8; do
        while :; do :; done & busy="$busy $!"
      done
      sleep 5
      kill $busy
      wait
      read -r ended rest < /proc/uptime
      times > times
      tail -n 1 times |
        awk -F '[ms ]+' -v seconds="$(awk "BEGIN {print $ended - $began}")" \
          '{printf "{\\"value\\": %.4f}", (60 * ($1 + $3) + $2 + $4) / seconds}'
      """;

  private AffinityCase() {}

  /** Processor time of all its programs over the time it took. */
  static double cores(TaskEngine engine, BenchFolder folder) {
    Outcome outcome = ScriptTask.submit(engine, folder, 0, Needs.ONE_CORE, SCRIPT).outcome().join();
    if (outcome instanceof Outcome.Completed(double cores)) {
      return cores;
    }
    throw new WorkFailedException("a trial did not complete: " + outcome.explanation());
  }
}
