package dev.tandem.spark;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.ExitCode;
import dev.tandem.tune.remote.EngineServer;
import dev.tandem.tune.remote.SparkOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;

/**
 * The driver: started by {@code tandem tune --engine spark}, which it serves by its standard input
 * and output, and which it does not outlive. Arguments: the options as JSON; the class path of
 * executors.
 */
public final class SparkMain {

  private SparkMain() {}

  /** Serves until the parent ends. */
  public static void main(String[] arguments) throws IOException {
    PrintStream pipe = System.out;
    InputStream input = System.in;
    // Whatever libraries print must not get between our lines.
    System.setOut(System.err);
    SparkOptions options = SparkOptions.of(new ObjectMapper().readTree(arguments[0]));
    String secret = System.getenv().getOrDefault(SparkSettings.SECRET_VARIABLE, "");
    EngineServer server = new EngineServer(pipe);
    ExitCode code =
        server.serve(() -> SparkEngine.open(options, arguments[1], secret, server::nodes), input);
    // Threads of Spark that are not daemons must not keep this process.
    System.exit(code.code());
  }
}
