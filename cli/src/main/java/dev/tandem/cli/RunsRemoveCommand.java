package dev.tandem.cli;

import dev.tandem.board.RunInfo;
import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.FileTrees;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes a run. */
@Command(
    name = "rm",
    description = {
      "Removes the folder of a run with its checkpoints, after a question or with --yes. A run that"
          + " is in use is refused. Checkpoints that the run keeps in folders elsewhere stay."
    },
    footerHeading = "%nExample:%n",
    footer = "  ./tandem runs rm runs/demo --yes")
final class RunsRemoveCommand extends TandemCommand {

  @Parameters(paramLabel = "RUN", description = "Folder of the run, or its name below runs/.")
  private Path given;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  /** What {@code --json} gets. */
  record Results(String run, boolean removed, long files, long bytes) {}

  @Override
  protected Object run() {
    RunInfo run = RunsCommand.run(given);
    Path folder = run.path();
    if (run.inUse()) {
      throw new UsageException(given + " is in use; stop it first, or wait until it has ended");
    }
    Size size = Size.of(folder);
    String what =
        String.format(
            Locale.ROOT,
            "%s: %,d files, %.1f MB, state %s",
            folder,
            size.files,
            size.bytes / 1e6,
            run.state());
    if (!yes && !confirmed(what)) {
      out().println("nothing was removed");
      return new Results(folder.toString(), false, 0, 0);
    }
    FileTrees.delete(folder);
    out().println("removed " + what);
    return new Results(folder.toString(), true, size.files, size.bytes);
  }

  @SuppressWarnings("SystemConsoleNull") // JDK 25 does return null again without a terminal.
  private static boolean confirmed(String what) {
    Console console = System.console();
    if (console == null || !console.isTerminal()) {
      throw new UsageException("runs rm would remove " + what + "; add --yes to do so");
    }
    String answer = console.readLine("remove %s? [y/N] ", what);
    return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
  }

  /** What a folder holds. */
  private record Size(long files, long bytes) {

    static Size of(Path folder) {
      long files = 0;
      long bytes = 0;
      try (Stream<Path> walk = Files.walk(folder)) {
        for (Path each : walk.toList()) {
          if (!Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
            files++;
            bytes += Files.isSymbolicLink(each) ? 0 : Files.size(each);
          }
        }
      } catch (IOException e) {
        throw FileErrors.failure("read", folder, e);
      }
      return new Size(files, bytes);
    }
  }
}
