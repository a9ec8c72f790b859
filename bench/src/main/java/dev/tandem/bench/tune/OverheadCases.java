package dev.tandem.bench.tune;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Children;
import dev.tandem.bench.DebianTorch;
import dev.tandem.bench.Spread;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.tune.Study;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.TrialState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Studies of trials that do nothing, of both sides in turn: trials per second. What has ended is on
 * the disk before the next suggestion on both sides, except in memory.
 */
final class OverheadCases {

  private static final int ROUNDS = 3;
  private static final int TRIALS = 2000;
  private static final int SQLITE_PART = 7;

  private final Path script;
  private final BenchFolder folder;
  private final Space space;
  private int made;

  OverheadCases(BenchFolder folder, Space space) {
    this.folder = folder;
    this.space = space;
    script = folder.extract(OverheadCases.class, "optuna_overhead.py");
  }

  /** The peer's side of a round. */
  private record Peer(double perSecond, boolean failed) {}

  /**
   * A row for each kind of storage and number of workers.
   *
   * @param peerTrials of a study of the peer; ours has always {@link #TRIALS}
   */
  List<TuneRow> rows(int peerTrials) {
    List<TuneRow> rows = new ArrayList<>();
    rows.add(row("memory", 1, peerTrials));
    for (int workers = 1; workers <= 2; workers++) {
      rows.add(row("journal", workers, peerTrials));
    }
    for (int workers = 1; workers <= 2; workers++) {
      rows.add(row("sqlite", workers, Math.max(workers, peerTrials / SQLITE_PART)));
    }
    return rows;
  }

  private TuneRow row(String storage, int workers, int peerTrials) {
    // The peer has nothing to compile; our first study is not counted, as its imports are not.
    double _ = ours(workers, !storage.equals("memory"));
    List<Double> ours = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    boolean failed = false;
    for (int round = 0; round < ROUNDS; round++) {
      if (round % 2 == 0) {
        ours.add(ours(workers, !storage.equals("memory")));
      }
      Peer peer = peer(storage, workers, peerTrials);
      failed |= peer.failed();
      theirs.add(peer.perSecond());
      if (round % 2 == 1) {
        ours.add(ours(workers, !storage.equals("memory")));
      }
    }
    double own = Spread.of(ours).median();
    double other = Spread.of(theirs).median();
    String name =
        String.format(
            Locale.ROOT,
            "random, 4 parameters, %s, %d worker%s",
            storage.equals("sqlite") ? "journal against sqlite" : storage,
            workers,
            workers == 1 ? "" : "s");
    return new TuneRow("overhead", name, own, other, own / other, failed);
  }

  private double ours(int workers, boolean durable) {
    Optional<Path> place =
        durable ? Optional.of(folder.path().resolve("study-" + made++)) : Optional.empty();
    Study study =
        Study.minimize(space, context -> 0).with(new Seed(made)).trials(TRIALS).workers(workers);
    long began = System.nanoTime();
    long complete = place.map(study::in).orElse(study).run().count(TrialState.COMPLETE);
    double seconds = (System.nanoTime() - began) / 1e9;
    if (complete != TRIALS) {
      throw new WorkFailedException("%d of %d trials ended".formatted(complete, TRIALS));
    }
    return TRIALS / seconds;
  }

  private Peer peer(String storage, int workers, int trials) {
    String text =
        storage.equals("memory")
            ? storage
            : storage + ":" + folder.path().resolve("peer-" + made++);
    String answer =
        Children.run(
                List.of(
                    DebianTorch.PYTHON,
                    script.toString(),
                    text,
                    Integer.toString(workers),
                    Integer.toString(trials)))
            .output();
    try {
      JsonNode result = new ObjectMapper().readTree(answer);
      long complete = result.get("complete").asLong();
      int expected = trials / workers * workers;
      boolean failed = complete < expected || result.get("failed").asInt() > 0;
      return new Peer(complete / result.get("seconds").asDouble(), failed);
    } catch (JsonProcessingException e) {
      throw new WorkFailedException("Optuna answered: " + answer, e);
    }
  }
}
