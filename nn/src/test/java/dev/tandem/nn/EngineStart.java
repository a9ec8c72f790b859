package dev.tandem.nn;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Starts the engine, from a folder if one is named, and says how it went. */
final class EngineStart {

  private EngineStart() {}

  public static void main(String[] arguments) {
    try {
      if (arguments.length > 0) {
        Engine.use(Path.of(arguments[0]));
      }
      System.out.println(
          "threads: " + Engine.start(1).threads() + " " + Engine.version() + " from " + folder());
    } catch (WorkFailedException e) {
      System.out.println("failed: " + e.getMessage());
    }
  }

  /** Where the system says that the library of the operations is. */
  static Path folder() {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      String line =
          maps.filter(each -> each.endsWith("/libtorch_cpu.so")).findFirst().orElseThrow();
      return Path.of(line.substring(line.indexOf('/'))).getParent();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
