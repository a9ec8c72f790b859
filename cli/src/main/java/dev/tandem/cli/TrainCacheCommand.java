package dev.tandem.cli;

import dev.tandem.core.ExitCode;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.glyphs.GlyphDatabase;
import dev.tandem.posix.FileTrees;
import dev.tandem.train.RankMain;
import dev.tandem.train.config.ConfigFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Runs what users run, on a small scale, while the JVM records it: the launcher calls this after a
 * build, once for the AOT cache of commands and readers and once for the archive of training
 * processes, so that later processes start with these classes loaded.
 */
@Command(
    name = "train-cache",
    hidden = true,
    description = "Exercises common commands for the AOT cache; the launcher calls it.",
    footerHeading = "%nExample:%n",
    footer = "  ./tandem train-cache")
final class TrainCacheCommand extends TandemCommand {

  private static final String RECORDS = "20000";
  private static final int INDEX_BUILDS = 5;
  private static final int READS = 5;
  private static final int IMAGES = 64;

  @CommandLine.Option(names = "--rank", description = "Trains as a rank does, instead.")
  private boolean rank;

  @Override
  protected Object run() throws Exception {
    Path folder = Files.createTempDirectory("tandem-train-cache");
    try {
      if (rank) {
        train(folder);
      } else {
        read(folder);
      }
      return List.of();
    } finally {
      FileTrees.delete(folder);
    }
  }

  /** As the only rank, with what most trainings have. */
  private static void train(Path folder) {
    Path database = folder.resolve("db");
    GlyphDatabase.write(database, new Seed(1), IMAGES, Progress.SILENT);
    ConfigFile.parse(
            "train-cache",
            """
            network: {model: digits}
            data: {train: '%1$s', test: '%1$s'}
            batch: {global: 16}
            optimizer: {momentum: 0.9}
            schedule: {rate: 0.01}
            guard: {clip: 1}
            epochs: 1
            """
                .formatted(database))
        .config()
        .save(folder);
    RankMain.main(new String[] {folder.toString()});
  }

  private void read(Path folder) throws Exception {
    Path database = folder.resolve("db");
    // A file that this process has mapped stays in the page cache, whatever it asks for.
    Path cold = folder.resolve("cold");
    execute("--help");
    for (Path made : List.of(database, cold)) {
      execute("data", "make", "--kind", "cifar", "--records", RECORDS, made.toString());
    }
    for (int i = 0; i < INDEX_BUILDS; i++) {
      Files.deleteIfExists(database.resolve("data.mdb.tdx"));
      execute("data", "index", database.toString());
      execute("data", "index", database.toString());
    }
    execute("data", "stat", database.toString());
    execute("data", "verify", database.toString());
    for (int i = 0; i < READS; i++) {
      for (String mode : new String[] {"prov", "auto", "coal", "lmdb"}) {
        execute("data", "read", "--mode", mode, database.toString());
      }
      execute("data", "read", "--mode", "auto", "--cold", cold.toString());
      execute("data", "read", "--mode", "prov", "--access", "shuffled", database.toString());
    }
  }

  private void execute(String... arguments) {
    CommandLine command = Tandem.commandLine().setOut(out());
    int code = command.execute(arguments);
    if (code != ExitCode.DONE.code()) {
      throw new WorkFailedException(String.join(" ", arguments) + " ended with code " + code);
    }
  }
}
