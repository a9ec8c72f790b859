package dev.tandem.cli;

import dev.tandem.comm.TransportKind;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.MainClass;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.RankFiles;
import dev.tandem.comm.launch.RankOutput;
import dev.tandem.core.ExitCode;
import dev.tandem.core.UsageException;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a program as the ranks of a job. */
@Command(
    name = "run",
    description = {
      "Runs the main method of CLASS in several processes, on one or more machines. They find"
          + " each other with Communicator.join(). The exit code is that of the first failure;"
          + " when one process fails or the launcher is stopped, all end."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem run -n 4 --class-path my.jar -- my.Program --its options",
      "  ./tandem run --hosts a:4,b:4 -- my.Program       4 ranks each on two hosts, by ssh",
      "  ./tandem run -n 2 --output-dir logs -- my.Program  output to logs/rank-0.out ...",
      "  ./tandem run --job-file job.properties -- my.Program"
    })
final class RunCommand extends TandemCommand {

  /** Where the lines go that the ranks print. */
  enum Output {
    PREFIX,
    FILES
  }

  @Mixin private PlacementOptions placement;

  @Option(
      names = "--transport",
      paramLabel = "T",
      defaultValue = "auto",
      description =
          "Transport between ranks: shm (one host), tcp, hybrid (shm inside hosts, tcp between), or"
              + " auto. Default: ${DEFAULT-VALUE}")
  private String transport;

  @Option(
      names = "--output",
      paramLabel = "prefix|files",
      description =
          "Print the ranks' output with [rank] before each line, or write it to files. Default:"
              + " prefix, or files if there is an --output-dir")
  private Output output;

  @Option(
      names = "--output-dir",
      paramLabel = "DIR",
      description = "Folder of the files rank-0.out, rank-0.err and so on. Default: this folder")
  private Path outputFolder;

  @Option(
      names = "--jvm-flag",
      paramLabel = "FLAG",
      description = "A flag for the JVMs of the ranks, such as -Xmx8g; may be repeated.")
  private List<String> jvmFlags = List.of();

  @Parameters(
      index = "0",
      paramLabel = "CLASS",
      description = "The class whose main method is run.")
  private String mainClass;

  @Parameters(index = "1..*", paramLabel = "ARGS", description = "Its arguments.")
  private List<String> arguments = List.of();

  /** What {@code --json} gets; the failed rank is -1 if there is none or nobody knows it. */
  record Results(int exitCode, int ranks, int failedRank, String summary, double seconds) {}

  @Override
  protected Object run() throws Exception {
    long began = System.nanoTime();
    TransportKind kind = TransportKind.of("--transport", transport);
    Placement places = placement.placement();
    if (placement.allHere(places)) {
      requireMain(places.classPath());
    }
    LaunchPlan plan = plan(places.hosts().size(), kind);
    LaunchResult result = launch(plan, places);
    if (!result.summary().isEmpty()) {
      err().println("tandem: " + result.summary());
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    return new Results(
        result.exitCode(), plan.ranks(), result.failedRank().orElse(-1), result.summary(), seconds);
  }

  @Override
  protected int exitStatus(Object results) {
    return results instanceof Results ended ? ended.exitCode() : ExitCode.FAILED.code();
  }

  private LaunchPlan plan(int ranks, TransportKind kind) {
    LaunchPlan plan = LaunchPlan.of(ranks, mainClass, arguments);
    Map<String, String> environment = new HashMap<>();
    environment.put(TransportKind.VARIABLE, kind.code());
    return plan.withEnvironment(environment)
        .withJvmFlags(Stream.concat(plan.jvmFlags().stream(), jvmFlags.stream()).toList());
  }

  private LaunchResult launch(LaunchPlan plan, Placement places) {
    if (output == Output.FILES || (output == null && outputFolder != null)) {
      Path folder = outputFolder == null ? Path.of("") : outputFolder;
      try (RankFiles files = RankFiles.create(folder.toAbsolutePath(), plan.ranks())) {
        return launch(plan, places, files);
      }
    }
    if (outputFolder != null) {
      throw new UsageException("--output-dir needs --output files, not prefix");
    }
    return launch(
        plan,
        places,
        (rank, source, line) -> {
          String prefixed = "[" + rank + "] " + line;
          switch (source) {
            case OUT -> out().println(prefixed);
            case ERROR -> err().println(prefixed);
          }
        });
  }

  private LaunchResult launch(LaunchPlan plan, Placement places, RankOutput lines) {
    return new ProcessLauncher(plan, places, lines, line -> err().println("tandem: " + line)).run();
  }

  /** One line now is better than one from every rank. */
  private void requireMain(String classPath) throws IOException {
    List<URL> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      if (entry.endsWith("*")) {
        // Only the JVM's launcher knows how to expand this; the ranks will say what is missing.
        return;
      }
      entries.add(url(entry));
    }
    try (URLClassLoader loader =
        new URLClassLoader(entries.toArray(URL[]::new), RunCommand.class.getClassLoader())) {
      MainClass.of(mainClass, loader);
    }
  }

  private static URL url(String entry) {
    try {
      return new File(entry).toURI().toURL();
    } catch (MalformedURLException e) {
      throw new UsageException("class path entry '%s' is not a valid path".formatted(entry));
    }
  }
}
