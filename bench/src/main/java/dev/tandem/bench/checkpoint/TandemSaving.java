package dev.tandem.bench.checkpoint;

import dev.tandem.bench.checkpoint.RankSaving.Mode;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.checkpoint.Compression;
import java.nio.file.Path;
import java.util.List;

/** Our store, whose ranks are threads of this process. */
final class TandemSaving implements Saving {

  private final ModelState state;
  private final Mode mode;
  private final CheckpointOptions options;
  private final RankGang gang;
  private final int ranks;
  private final RankSaving[] savings;

  TandemSaving(ModelState state, Mode mode, int ranks, Compression compression) {
    this.state = state;
    this.mode = mode;
    this.ranks = ranks;
    this.options = CheckpointOptions.DEFAULT.with(compression);
    this.gang = new RankGang(ranks);
    this.savings = new RankSaving[ranks];
  }

  @Override
  public String format() {
    return options.compression() == Compression.NONE ? "shards" : "shards-zstd";
  }

  @Override
  public String mode() {
    return mode.code();
  }

  @Override
  public int ranks() {
    return ranks;
  }

  @Override
  public int queueDepth() {
    return CheckpointOptions.QUEUE_DEPTH;
  }

  @Override
  public Times save(Path folder) {
    List<Times> all =
        gang.run(
            communicator -> {
              int rank = communicator.rank();
              if (savings[rank] == null) {
                savings[rank] = new RankSaving(state, mode, options, communicator);
              }
              return savings[rank].save(folder);
            });
    return Times.slowest(all);
  }

  @Override
  public void close() {
    var _ =
        gang.run(
            communicator -> {
              if (savings[communicator.rank()] != null) {
                savings[communicator.rank()].close();
              }
              return 0;
            });
    gang.close();
  }
}
