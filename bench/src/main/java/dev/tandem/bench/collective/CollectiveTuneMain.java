package dev.tandem.bench.collective;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.TableTuner;
import dev.tandem.comm.collective.AlgorithmTable;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Path;

/** One rank of {@code tandem bench collective --tune}; the first writes the table. */
public final class CollectiveTuneMain {

  private CollectiveTuneMain() {}

  /**
   * Measures.
   *
   * @param args the file for the table
   */
  public static void main(String[] args) {
    Reduction.prepare();
    Path file = Path.of(args[0]);
    try (Communicator communicator = Communicator.join()) {
      AlgorithmTable table = TableTuner.DEFAULT.tune(communicator);
      if (communicator.rank() == 0) {
        table.write(file);
      }
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }
}
