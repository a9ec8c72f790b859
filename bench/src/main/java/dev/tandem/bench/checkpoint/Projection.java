package dev.tandem.bench.checkpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a checkpoint every ten steps would cost on more ranks than this machine has, computed from
 * measured rows. Replicas of the same model save to one file system that is as fast as the disk
 * here, and a step takes as long as measured here (weak scaling):
 *
 * <ul>
 *   <li>async: a rank copies its part, 1/n of the state;
 *   <li>sync: all wait until the file system has the state once;
 *   <li>rank0: as sync, whatever the ranks;
 *   <li>redundant: all wait until it has the state n times.
 * </ul>
 */
final class Projection {

  private static final int[] RANKS = {8, 16, 32, 64, 128, 256};

  private Projection() {}

  /** The rows of all models that were measured. */
  static List<CheckpointRow> of(List<CheckpointRow> measured, double tenStepsSeconds) {
    List<CheckpointRow> rows = new ArrayList<>();
    for (String model : measured.stream().map(CheckpointRow::model).distinct().toList()) {
      for (String mode : List.of("async", "sync", "rank0", "redundant")) {
        Optional<CheckpointRow> one =
            measured.stream()
                .filter(row -> row.model().equals(model) && row.format().equals("shards"))
                .filter(row -> row.mode().equals(mode) && row.ranks() == 1)
                .findFirst();
        if (one.isPresent() && !model.equals(TrainingOverhead.MODEL)) {
          for (int ranks : RANKS) {
            rows.add(project(one.get(), ranks, tenStepsSeconds));
          }
        }
      }
    }
    return rows;
  }

  private static CheckpointRow project(CheckpointRow one, int ranks, double tenStepsSeconds) {
    boolean redundant = one.mode().equals("redundant");
    double write = one.writeSeconds() * (redundant ? ranks : 1);
    double stall =
        one.mode().equals("async")
            ? one.stallMillis() / ranks
            : one.stallMillis() * (redundant ? ranks : 1);
    return new CheckpointRow(
        one.model(),
        one.format(),
        one.mode(),
        ranks,
        one.bytes() * (redundant ? ranks : 1),
        stall,
        stall,
        stall,
        write,
        write,
        write,
        one.megabytesPerSecond(),
        stall / 1e3 / tenStepsSeconds * 100,
        0,
        0,
        0,
        true,
        one.rounds(),
        one.machine(),
        one.study());
  }
}
