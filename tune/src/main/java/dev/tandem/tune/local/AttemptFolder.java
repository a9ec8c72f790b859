package dev.tandem.tune.local;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.tune.space.JsonValues;
import dev.tandem.tune.task.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of an attempt.
 *
 * @param suffix of the files that each rank of a gang has for itself; empty for rank 0
 */
record AttemptFolder(Path path, String suffix) {

  /** Makes the folder, with the parameters in it. */
  static AttemptFolder make(Call call, int attempt) {
    return make(call, attempt, 0);
  }

  /** The same for a rank of a gang, of which all ranks have the folder in common. */
  static AttemptFolder make(Call call, int attempt, int rank) {
    AttemptFolder folder =
        new AttemptFolder(
            call.attemptFolder(attempt).toAbsolutePath(), rank == 0 ? "" : "-rank-" + rank);
    try {
      Files.createDirectories(folder.checkpoints());
      Files.write(
          folder.parameters(),
          new ObjectMapper().writeValueAsBytes(JsonValues.tree(call.parameters().values())));
      return folder;
    } catch (IOException e) {
      throw FileErrors.failure("write", folder.path, e);
    }
  }

  Path parameters() {
    return path.resolve("params" + suffix + ".json");
  }

  Path checkpoints() {
    return path.resolve("checkpoint");
  }

  /** Appears when the program is to end. */
  Path stopFile() {
    return path.resolve("stop");
  }

  Path output() {
    return path.resolve("stdout" + suffix + ".log");
  }

  Path errors() {
    return path.resolve("stderr" + suffix + ".log");
  }

  Path answers() {
    return path.resolve("answers" + suffix + ".pipe");
  }

  void askToStop(String reason) {
    try {
      Files.writeString(stopFile(), reason + "\n");
    } catch (IOException e) {
      throw new WorkFailedException("cannot write " + stopFile(), e);
    }
  }
}
