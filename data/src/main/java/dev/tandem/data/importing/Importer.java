package dev.tandem.data.importing;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Something that records of a new database can be made from: a folder of images, a data set in its
 * own format, a generator. Used once, by one thread.
 */
public interface Importer {

  /** Records that will come, or empty if only the import itself tells. */
  OptionalLong count();

  /**
   * Hands over every record. What cannot be read is a {@link dev.tandem.core.WorkFailedException}
   * that names the file.
   */
  void importTo(RecordSink sink);

  /** What was left out so far, one line each: a file and the reason. */
  default List<String> skipped() {
    return List.of();
  }

  /** Further files to be kept beside the records: what each holds, by name. */
  default Map<String, String> files() {
    return Map.of();
  }

  /** The names of the classes by label, or empty where the source has none. */
  default List<String> labels() {
    return List.of();
  }
}
