package dev.tandem.cli;

import dev.tandem.core.Progress;
import dev.tandem.data.importing.DatabaseBuilder;
import dev.tandem.lmdb.write.WriterOptions;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What commands that make a database share. */
final class TargetOptions {

  @Option(
      names = "--overwrite",
      description = "Replace an existing database; it stays until the new one is whole.")
  private boolean overwrite;

  @Option(
      names = "--commit-every",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Records per commit. Default: ${DEFAULT-VALUE}")
  private long commitEvery;

  DatabaseBuilder builder(Path target, Progress progress) {
    return new DatabaseBuilder(target, overwrite, WriterOptions.DEFAULT, commitEvery, progress);
  }

  long commitEvery() {
    return commitEvery;
  }

  boolean overwrite() {
    return overwrite;
  }
}
