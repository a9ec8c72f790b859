package dev.tandem.bench.checkpoint;

import dev.tandem.bench.LiveContender;
import dev.tandem.bench.checkpoint.RankSaving.Mode;
import dev.tandem.checkpoint.CheckpointOptions;
import java.nio.file.Path;

/**
 * Our store, whose ranks are processes, each with a copy of the state.
 *
 * @param processes that run {@link SavingRankMain}, shared by all modes; borrowed
 */
record ProcessSaving(Mode saves, int ranks, String place, LiveContender processes)
    implements Saving {

  @Override
  public String format() {
    return "shards";
  }

  @Override
  public String mode() {
    return saves.code();
  }

  @Override
  public int queueDepth() {
    return saves == Mode.PARTNER ? 0 : CheckpointOptions.QUEUE_DEPTH;
  }

  @Override
  public Times save(Path folder) {
    String[] seconds =
        processes.ask(SavingRankMain.SAVE + " " + saves + " " + folder).split(" ", -1);
    return new Times(
        Double.parseDouble(seconds[0]),
        Double.parseDouble(seconds[1]),
        Double.parseDouble(seconds[2]));
  }

  @Override
  public double restore() {
    return Double.parseDouble(processes.ask(SavingRankMain.RESTORE + " " + saves));
  }
}
