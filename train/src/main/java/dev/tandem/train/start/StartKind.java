package dev.tandem.train.start;

import java.nio.file.Path;
import java.util.List;

/**
 * A kind of data that {@code tandem init} writes a configuration for. To add one, implement it and
 * put it into {@link #ALL}; the first that takes a path is asked.
 */
public interface StartKind {

  /** All kinds; the last takes whatever {@link dev.tandem.data.source.Sources} opens. */
  List<StartKind> ALL = List.of(new ArrayStart(), new ImageStart());

  /** Whether a path that exists is of this kind, by names rather than by contents. */
  boolean takes(Path data);

  /**
   * Looks at the data and chooses.
   *
   * @param model by name; null for one that suits the data
   */
  StartConfig choose(Path data, String model);

  /** What to begin with for any data. */
  static StartConfig of(Path data, String model) {
    for (StartKind kind : ALL) {
      if (kind.takes(data)) {
        return kind.choose(data, model);
      }
    }
    throw new IllegalStateException("no kind takes " + data);
  }
}
