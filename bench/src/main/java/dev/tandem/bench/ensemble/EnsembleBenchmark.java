package dev.tandem.bench.ensemble;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Machine;
import dev.tandem.core.Progress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** All studies of ensembles, one after the other, with the same processes. */
public final class EnsembleBenchmark {

  private final EnsembleEffort effort;
  private final Progress progress;

  /** Prepares nothing yet. */
  public EnsembleBenchmark(EnsembleEffort effort, Progress progress) {
    this.effort = effort;
    this.progress = progress;
  }

  /**
   * Runs everything.
   *
   * @param found gets what a study has found, as soon as it has; peaks are then put beside costs
   */
  public List<EnsembleRow> run(Consumer<List<EnsembleRow>> found) {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    String machine = Machine.describe(temporary);
    List<EnsembleRow> rows = new ArrayList<>();
    Consumer<List<EnsembleRow>> keep =
        study -> {
          rows.addAll(study);
          found.accept(study);
        };
    try (BenchFolder folder = BenchFolder.in(temporary)) {
      Path database = folder.path().resolve("images");
      EnsembleImages.write(database, progress);
      try (MemberPool pool = new MemberPool(database, folder.path())) {
        pool.grow(effort.processes(), progress);
        double prepared = prepared(pool);
        if (wants(EnsembleStudy.COST)) {
          keep.accept(new CostStudy(pool, effort, prepared, progress).run(machine));
        }
        if (wants(EnsembleStudy.UNEQUAL)) {
          keep.accept(new UnequalStudy(pool, prepared, progress).run(machine));
        }
        if (wants(EnsembleStudy.ADAPTIVE)) {
          keep.accept(new AdaptiveStudy(pool, prepared, progress).run(machine));
        }
        if (wants(EnsembleStudy.EXACT)) {
          keep.accept(new LossStudy(pool, prepared, progress).run(machine));
        }
        if (wants(EnsembleStudy.PEAK) || wants(EnsembleStudy.SLOWDOWN)) {
          limited(pool, machine, keep);
        }
      }
    }
    List<EnsembleRow> peaks = rows.stream().filter(row -> row.study().equals("peak")).toList();
    return rows.stream().map(row -> row.withPeak(peaks)).toList();
  }

  private boolean wants(EnsembleStudy study) {
    return effort.studies().contains(study);
  }

  private void limited(MemberPool pool, String machine, Consumer<List<EnsembleRow>> keep) {
    try (LimitStudy limits = new LimitStudy(pool, effort, progress)) {
      keep.accept(limits.peaks(machine));
      if (limits.missing().isPresent() && wants(EnsembleStudy.SLOWDOWN)) {
        System.err.println("no slowdown with few cores: " + limits.missing().get());
      } else if (wants(EnsembleStudy.SLOWDOWN)) {
        keep.accept(limits.slowdowns(machine));
      }
    }
  }

  /** Images per second that one process prepares with one thread, alone on the machine. */
  private static double prepared(MemberPool pool) {
    return pool.run(List.of(MemberRequest.alone(EnsembleImages.COUNT, 2 * EnsembleImages.COUNT)))
        .imagesPerSecond();
  }
}
