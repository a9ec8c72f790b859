package dev.tandem.cli;

import dev.tandem.data.importing.DatabaseBuilder.Built;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What {@code --json} gets from commands that make a database. */
record BuildResults(
    String database,
    long records,
    long bytes,
    double seconds,
    double recordsPerSecond,
    List<String> leftOut) {

  static BuildResults of(Path database, Built built, List<String> leftOut) {
    return new BuildResults(
        database.toString(),
        built.records(),
        built.bytes(),
        built.seconds(),
        built.records() / Math.max(1e-9, built.seconds()),
        leftOut);
  }

  BuildResults print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%s: %,d records, %,.1f MB of keys and values, in %.1f s (%,.0f records/s)%n",
        database,
        records,
        bytes / 1e6,
        seconds,
        recordsPerSecond);
    return this;
  }
}
