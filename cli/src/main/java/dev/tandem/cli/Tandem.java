package dev.tandem.cli;

import dev.tandem.core.ExitCode;
import dev.tandem.core.TandemException;
import dev.tandem.nn.yaml.Spelling;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The top command; see {@link #main}. */
@Command(
    name = "tandem",
    description = "Scalable deep-learning training for the JVM.",
    mixinStandardHelpOptions = true,
    versionProvider = Tandem.Version.class,
    subcommands = {
      DemoCommand.class,
      InitCommand.class,
      ShowCommand.class,
      PlanCommand.class,
      TrainCommand.class,
      EnsembleCommand.class,
      EvalCommand.class,
      PredictCommand.class,
      ExportCommand.class,
      RunCommand.class,
      DataCommand.class,
      CheckpointCommand.class,
      RunsCommand.class,
      TuneCommand.class,
      BenchCommand.class,
      SimulateCommand.class,
      ProfileCommand.class,
      TrainCacheCommand.class,
      CommandLine.HelpCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem demo               the whole workflow on this machine",
      "  ./tandem demo --json o.json the same, results also as JSON",
      "  ./tandem init               a starting configuration; then ./tandem train train.yaml",
      "  ./tandem run -n 4 -- CLASS  your own program as 4 processes",
      "  ./tandem test               the whole test suite",
      "",
      "Exit codes: 0 done, 1 the work failed, 2 the command line or configuration is wrong,",
      "3 a peer or rank was lost."
    })
public final class Tandem implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = {"-v", "--verbose"},
      description = "With --version: what computes, too: GPUs, their driver, libtorch.")
  private boolean verbose;

  private Tandem() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine tandem = new CommandLine(new Tandem());
    // What follows the class is its own, whatever it looks like.
    tandem.getSubcommands().get("run").setStopAtPositional(true);
    return configured(tandem);
  }

  /** Gives a program of Tandem, and all its commands, the environment's defaults and our errors. */
  public static CommandLine configured(CommandLine program) {
    return program
        .setExpandAtFiles(false)
        .setDefaultValueProvider(new EnvironmentDefaults(System.getenv()))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Tandem::wrongUsage)
        .setExecutionExceptionHandler(Tandem::failure);
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  private static int wrongUsage(CommandLine.ParameterException e, String[] args) {
    CommandLine at = e.getCommandLine();
    PrintWriter err = at.getErr();
    String name = at.getCommandSpec().qualifiedName();
    if (e instanceof UnmatchedArgumentException unmatched
        && !at.getSubcommands().isEmpty()
        && !unmatched.getUnmatched().getFirst().startsWith("-")) {
      String wrong = unmatched.getUnmatched().getFirst();
      String similar = Spelling.question(wrong, at.getSubcommands().keySet());
      err.printf("%s: unknown command '%s'%s; see ./%s --help%n", name, wrong, similar, name);
    } else {
      err.printf("%s: %s; see ./%s --help%n", name, oneLine(e.getMessage()), name);
    }
    return ExitCode.USAGE.code();
  }

  private static int failure(Exception e, CommandLine at, ParseResult parsed) {
    PrintWriter err = at.getErr();
    ExitCode code = e instanceof TandemException t ? t.exitCode() : ExitCode.FAILED;
    if (e instanceof TandemException) {
      err.println("tandem: " + oneLine(e.getMessage()));
    } else {
      err.println("tandem: internal error: " + oneLine(e.toString()) + " (--debug shows where)");
    }
    if (at.getCommand() instanceof TandemCommand command && command.debug()) {
      e.printStackTrace(err);
    }
    return code.code();
  }

  private static String oneLine(String message) {
    return message == null ? "no reason given" : message.strip().replaceAll("\\s*\\R\\s*", " ");
  }

  /** The version that the build put into the jar and, if asked for, what this machine has. */
  public static final class Version implements CommandLine.IVersionProvider {

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public String[] getVersion() {
      String version = Tandem.class.getPackage().getImplementationVersion();
      List<String> lines = new ArrayList<>();
      lines.add("tandem " + (version == null ? "(not packaged)" : version));
      lines.add("java " + System.getProperty("java.version"));
      if (spec != null && spec.userObject() instanceof Tandem tandem && tandem.verbose) {
        lines.addAll(Computing.lines());
      }
      return lines.toArray(String[]::new);
    }
  }
}
