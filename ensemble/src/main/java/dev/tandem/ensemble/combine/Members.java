package dev.tandem.ensemble.combine;

import dev.tandem.core.UsageException;
import dev.tandem.ensemble.EnsembleRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * The runs that answer together.
 *
 * @param folder of the ensemble; empty if runs were listed
 * @param names of the members, for people
 * @param runs their folders, or those of checkpoints
 */
public record Members(Optional<Path> folder, List<String> names, List<Path> runs) {

  public Members {
    names = List.copyOf(names);
    runs = List.copyOf(runs);
  }

  /**
   * What was named on the command line: the folder of an ensemble, of which those members count
   * that have learned all they were to learn; or several runs or checkpoints with commas between
   * them. Empty if it is a single run.
   */
  public static Optional<Members> of(String given) {
    Path path = Path.of(given);
    if (EnsembleRecord.in(path)) {
      return Optional.of(ofEnsemble(path));
    }
    if (!given.contains(",") || Files.exists(path)) {
      return Optional.empty();
    }
    List<Path> runs = Arrays.stream(given.split(",", -1)).map(String::strip).map(Path::of).toList();
    if (runs.size() < 2 || new HashSet<>(runs).size() < runs.size()) {
      throw new UsageException("%s names a run twice, or none".formatted(given));
    }
    for (Path run : runs) {
      if (run.toString().isEmpty() || !Files.isDirectory(run)) {
        throw new UsageException("%s: '%s' is not the folder of a run".formatted(given, run));
      }
    }
    return Optional.of(
        new Members(Optional.empty(), runs.stream().map(Path::toString).toList(), runs));
  }

  private static Members ofEnsemble(Path folder) {
    List<String> names = new ArrayList<>();
    List<Path> runs = new ArrayList<>();
    for (EnsembleRecord.Member member : EnsembleRecord.read(folder).members()) {
      if (member.done()) {
        names.add(member.name());
        runs.add(member.folder(folder));
      }
    }
    if (runs.isEmpty()) {
      throw new UsageException(
          "no member of %s has ended its training: ./tandem ensemble CONFIG.yaml --resume continues"
              .formatted(folder));
    }
    return new Members(Optional.of(folder), names, runs);
  }

  /** How many there are. */
  public int count() {
    return runs.size();
  }
}
