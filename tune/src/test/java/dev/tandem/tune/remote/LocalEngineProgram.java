package dev.tandem.tune.remote;

import dev.tandem.tune.local.LocalEngine;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;

/** A child process with the engine of this machine. */
public final class LocalEngineProgram {

  private LocalEngineProgram() {}

  static ProcessBuilder process() {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            LocalEngineProgram.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  /** Serves until the parent ends. */
  public static void main(String[] arguments) throws IOException {
    PrintStream pipe = System.out;
    System.setOut(System.err);
    System.exit(new EngineServer(pipe).serve(LocalEngine::new, System.in).code());
  }
}
