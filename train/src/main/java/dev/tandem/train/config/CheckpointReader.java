package dev.tandem.train.config;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.checkpoint.Compression;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Fields;
import dev.tandem.train.config.CheckpointConfig.Automatic;
import dev.tandem.train.config.CheckpointConfig.Fixed;
import dev.tandem.train.config.CheckpointConfig.Interval;
import dev.tandem.train.config.CheckpointConfig.Local;
import java.util.Optional;

/** The section {@code checkpoint} of a configuration, in both directions. */
final class CheckpointReader {

  private CheckpointReader() {}

  /** Keys that are left out have their defaults here. */
  static CheckpointConfig read(Fields keys) {
    CheckpointConfig checkpoint =
        new CheckpointConfig(
            interval(keys),
            keys.flag("best", false),
            keys.integer("keep", 3),
            keys.longInteger("keep-every", 0),
            keys.flag("incremental", false),
            keys.choice("compression", Compression.NONE),
            keys.flag("partner", false),
            local(keys),
            place(keys.text("folder", "")),
            keys.integer("every", 1));
    keys.requireAllRead();
    return checkpoint;
  }

  private static Interval interval(Fields keys) {
    boolean automatic =
        keys.has("every-steps") && keys.text("every-steps").equals(CheckpointConfig.AUTOMATIC);
    if (automatic) {
      return new Automatic(keys.number("failure-hours", 24), keys.number("budget-percent", 1));
    }
    for (String key : new String[] {"failure-hours", "budget-percent"}) {
      if (keys.has(key)) {
        throw new UsageException(
            "checkpoint.%s is for checkpoint.every-steps: auto".formatted(key));
      }
    }
    return new Fixed(keys.longInteger("every-steps", 0));
  }

  private static Optional<Local> local(Fields checkpoint) {
    if (!checkpoint.has("local")) {
      return Optional.empty();
    }
    Fields keys = checkpoint.section("local");
    Local local =
        new Local(
            place(keys.text("folder", "")), keys.integer("every", 1), keys.integer("keep", 1));
    keys.requireAllRead();
    return Optional.of(local);
  }

  private static String place(String folder) {
    return folder.isEmpty() ? "" : ConfigReader.absolute(folder);
  }

  static void write(CheckpointConfig checkpoint, ObjectNode to) {
    switch (checkpoint.interval()) {
      case Fixed(long steps) -> to.put("every-steps", steps);
      case Automatic(double hours, double percent) ->
          to.put("every-steps", CheckpointConfig.AUTOMATIC)
              .put("failure-hours", hours)
              .put("budget-percent", percent);
    }
    to.put("best", checkpoint.best());
    to.put("keep", checkpoint.keep()).put("keep-every", checkpoint.keepEvery());
    to.put("incremental", checkpoint.incremental());
    to.put("compression", Fields.word(checkpoint.compression()));
    to.put("partner", checkpoint.partner());
    checkpoint
        .local()
        .ifPresent(
            local ->
                to.putObject("local")
                    .put("folder", local.folder())
                    .put("every", local.every())
                    .put("keep", local.keep()));
    to.put("folder", checkpoint.folder()).put("every", checkpoint.every());
  }
}
