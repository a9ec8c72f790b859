package dev.tandem.tune.remote;

import dev.tandem.core.UsageException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The folder with Spark's jars ({@code jars/}) and Tandem's for it ({@code tandem-spark.jar}),
 * which {@code ./tandem build --spark} makes; a plain build does not fetch Spark.
 *
 * @param folder absolute
 */
public record SparkHome(Path folder) {

  private static final String OWN = "tandem-spark.jar";
  private static final String PROGRAM = "dev.tandem.spark.SparkMain";

  /** Spark writes its jars' version of Scala into no file: its launcher must be told. */
  private static final String SCALA = "2.13";

  /**
   * Finds it in Tandem's folder.
   *
   * @param tandem the checkout that the launcher is in; empty if not known
   * @throws UsageException naming the command that builds it
   */
  public static SparkHome find(String tandem) {
    return built(tandem)
        .orElseThrow(
            () ->
                new UsageException(
                    "the Spark engine is not built: run `./tandem build --spark` once (it fetches"
                        + " 130 MB)"));
  }

  /** The same, where it is. */
  public static Optional<SparkHome> built(String tandem) {
    return Stream.of("target/app/spark", "spark/target/spark-home")
        .map(each -> Path.of(tandem, each).toAbsolutePath().normalize())
        .filter(each -> Files.exists(each.resolve(OWN)))
        .findFirst()
        .map(SparkHome::new);
  }

  /** Starts Spark's driver in a JVM of its own, and waits until its nodes are there. */
  public ChildEngine start(SparkOptions options, Consumer<String> notes) {
    ProcessBuilder builder = new ProcessBuilder(command(options));
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    Map<String, String> environment = builder.environment();
    environment.put("SPARK_HOME", folder.toString());
    environment.put("SPARK_SCALA_VERSION", SCALA);
    environment.put("SPARK_LOCAL_IP", options.host());
    return ChildEngine.start("the Spark driver", builder, notes);
  }

  private List<String> command(SparkOptions options) {
    String own = ownClasses();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Djava.awt.headless=true",
            "-Xmx1g",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseParallelGC",
            "-XX:-UsePerfData"));
    // Tandem's jars first: libraries that both have are newer there.
    command.addAll(List.of("-cp", own + File.pathSeparator + folder.resolve("jars") + "/*"));
    command.addAll(List.of(PROGRAM, options.json().toString(), own));
    return command;
  }

  /** The classes of this process and those for Spark: what the driver and executors need. */
  private String ownClasses() {
    return Stream.concat(
            Stream.of(folder.resolve(OWN).toString()),
            Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                // Of the benchmarks; it would take the place of Spark's own.
                .filter(each -> !each.isEmpty() && !each.contains("slf4j-nop"))
                .map(each -> Path.of(each).toAbsolutePath().toString()))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
