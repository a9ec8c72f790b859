package dev.tandem.comm.launch;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes what the ranks print to files {@code rank-0.out}, {@code rank-0.err} and so on of a
 * folder, every line at once. Older files of these names are replaced.
 */
public final class RankFiles implements RankOutput, AutoCloseable {

  private volatile Optional<WorkFailedException> failure = Optional.empty();
  private final List<Map<Source, Writer>> writers = new ArrayList<>();
  private final Path folder;

  private RankFiles(Path folder) {
    this.folder = folder;
  }

  /** Makes the folder, if need be, and all files. */
  public static RankFiles create(Path folder, int ranks) {
    RankFiles files = new RankFiles(folder);
    try {
      Files.createDirectories(folder);
      for (int rank = 0; rank < ranks; rank++) {
        Map<Source, Writer> ofRank = new EnumMap<>(Source.class);
        files.writers.add(ofRank);
        for (Source source : Source.values()) {
          ofRank.put(source, Files.newBufferedWriter(folder.resolve(name(rank, source))));
        }
      }
      return files;
    } catch (IOException e) {
      files.close();
      throw FileErrors.failure("write to", folder, e);
    }
  }

  private static String name(int rank, Source source) {
    return "rank-%d.%s".formatted(rank, source == Source.OUT ? "out" : "err");
  }

  @Override
  public void line(int rank, Source source, String text) {
    if (failure.isPresent()) {
      return;
    }
    Writer writer = writers.get(rank).get(source);
    try {
      synchronized (writer) {
        writer.write(text);
        writer.write('\n');
        writer.flush();
      }
    } catch (IOException e) {
      // The rank must not wait for a reader that is gone: the rest is dropped, and close() tells.
      failure = Optional.of(FileErrors.failure("write to", folder.resolve(name(rank, source)), e));
    }
  }

  /**
   * Closes all files.
   *
   * @throws WorkFailedException if not all that was printed could be written
   */
  @Override
  public void close() {
    for (Map<Source, Writer> ofRank : writers) {
      for (Writer writer : ofRank.values()) {
        try {
          writer.close();
        } catch (IOException e) {
          failure = failure.or(() -> Optional.of(FileErrors.failure("write to", folder, e)));
        }
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
  }
}
