package dev.tandem.tune.local;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.tune.space.JsonValues;
import dev.tandem.tune.task.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of an attempt. */
record AttemptFolder(Path path) {

  /** Makes the folder, with the parameters in it. */
  static AttemptFolder make(Call call, int attempt) {
    AttemptFolder folder = new AttemptFolder(call.attemptFolder(attempt).toAbsolutePath());
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
    return path.resolve("params.json");
  }

  Path checkpoints() {
    return path.resolve("checkpoint");
  }

  /** Appears when the program is to end. */
  Path stopFile() {
    return path.resolve("stop");
  }

  Path output() {
    return path.resolve("stdout.log");
  }

  Path errors() {
    return path.resolve("stderr.log");
  }

  Path answers() {
    return path.resolve("answers.pipe");
  }

  void askToStop(String reason) {
    try {
      Files.writeString(stopFile(), reason + "\n");
    } catch (IOException e) {
      throw new WorkFailedException("cannot write " + stopFile(), e);
    }
  }
}
