package dev.tandem.train.config;

import dev.tandem.core.UsageException;
import dev.tandem.data.share.ShareOptions;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.nn.yaml.Default;
import java.util.Locale;

/**
 * Training samples that are prepared once for several runs of a host, which give the same name.
 *
 * @param name of the share
 * @param member by which the others know this run; empty for the number of its process
 * @param members runs that are waited for, for some seconds, before anything is prepared
 * @param megabytes of memory for prepared samples, of the run that comes first
 * @param pace whether each run takes samples as fast as it can, or all wait for one another
 * @param prepare whether the processes of this run prepare samples, each with {@code data.threads}
 */
public record ShareConfig(
    @Default("") String name,
    @Default("") String member,
    @Default("1") int members,
    @Default("256") long megabytes,
    @Default("own") Pace pace,
    @Default("true") boolean prepare) {

  /** How runs of different speed go through the samples. */
  public enum Pace {
    /** Each by itself. */
    OWN,
    /** Side by side. */
    TOGETHER
  }

  public ShareConfig {
    if (name.isEmpty()) {
      throw new UsageException("name is missing, expected one that all runs of the share give");
    }
    var _ = SharedSamples.place(name); // checks
    Require.atLeast("members", 1, members);
    Require.atLeast("megabytes", 1, megabytes);
  }

  /** Refuses what does not go together with sharing. */
  static void check(boolean share, DataConfig data, BatchConfig batch, StrategyConfig strategy) {
    if (!share) {
      return;
    }
    if (data.reuse().isPresent()) {
      throw new UsageException(
          "data.reuse has an order of its own for each run, but data.share has one for all: leave"
              + " one of them out");
    }
    if (strategy.input() != StrategyConfig.Input.LEADER) {
      throw new UsageException(
          "strategy.input is %s, but data.share gives whole samples: use leader"
              .formatted(strategy.input().name().toLowerCase(Locale.ROOT)));
    }
  }

  /** How the processes of this run share. */
  public ShareOptions options(int threads) {
    return ShareOptions.DEFAULT
        .withBytes(megabytes << 20)
        .withConsumers(members)
        .withThreads(prepare ? threads : 0)
        .withTogether(pace == Pace.TOGETHER);
  }

  /** The name of a rank of this run among the consumers. */
  public String consumer(int rank) {
    String run = member.isEmpty() ? "process-" + ProcessHandle.current().pid() : member;
    return rank == 0 ? run : run + "/" + rank;
  }
}
