package dev.tandem.tune;

import dev.tandem.tune.journal.JournalRecord.CheckpointSaved;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.Report;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Removes checkpoints of a trial that are neither among its last nor among its best. */
final class CheckpointRetention {

  private final TrialStorage storage;
  private final Direction direction;
  private final Consumer<String> notes;

  CheckpointRetention(TrialStorage storage, Direction direction, Consumer<String> notes) {
    this.storage = storage;
    this.direction = direction;
    this.notes = notes;
  }

  /**
   * Removes what a trial has too much.
   *
   * @param inUse paths of checkpoints that running trials began with
   */
  void apply(StudyState state, long trial, Set<String> inUse) {
    if (storage.keepLast() == 0) {
      return;
    }
    List<CheckpointSaved> saved = state.checkpoints(trial);
    Set<Path> kept = new HashSet<>();
    inUse.forEach(path -> kept.add(Path.of(path)));
    int last = Math.max(0, saved.size() - storage.keepLast());
    saved.subList(last, saved.size()).forEach(each -> kept.add(path(each)));
    List<Report> reports = state.trial(trial).reports();
    saved.subList(0, last).stream()
        .sorted(Comparator.comparingDouble(each -> loss(each, reports)))
        .limit(storage.keepBest())
        .forEach(each -> kept.add(path(each)));
    for (CheckpointSaved each : saved) {
      Path path = path(each);
      boolean own = path.startsWith(storage.folder()) && !path.equals(storage.folder());
      if (own && kept.stream().noneMatch(other -> other.startsWith(path))) {
        remove(path);
      }
    }
  }

  private static Path path(CheckpointSaved saved) {
    return Path.of(saved.path()).normalize();
  }

  /** The metric that was reported last when the checkpoint was made. */
  private double loss(CheckpointSaved saved, List<Report> reports) {
    double loss = Double.POSITIVE_INFINITY;
    for (Report report : reports) {
      if (report.step() <= saved.step()) {
        loss = direction.loss(report.value());
      }
    }
    return loss;
  }

  private void remove(Path path) {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> all = Files.walk(path)) {
      all.sorted(Comparator.reverseOrder())
          .forEach(
              each -> {
                try {
                  Files.delete(each);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    } catch (IOException | UncheckedIOException e) {
      notes.accept("cannot remove the checkpoint %s: %s".formatted(path, e.getMessage()));
    }
  }
}
