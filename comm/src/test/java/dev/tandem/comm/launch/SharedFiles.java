package dev.tandem.comm.launch;

import dev.tandem.posix.SharedMemoryFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds shared memory that a process has left behind. */
final class SharedFiles {

  private SharedFiles() {}

  static List<Path> of(long process) throws IOException {
    List<Path> left = new ArrayList<>();
    for (Path folder : SharedMemoryFile.folders()) {
      try (Stream<Path> files = Files.list(folder)) {
        files
            .filter(file -> file.getFileName().toString().startsWith("tandem-" + process + "-"))
            .forEach(left::add);
      }
    }
    return left;
  }
}
