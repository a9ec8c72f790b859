package dev.tandem.tune;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.journal.JournalRecord;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.SpaceYaml;
import dev.tandem.tune.trial.Direction;
import java.time.Instant;
import java.util.Locale;

/**
 * What a study is: all that its list of trials depends on. It stays as it is for the life of the
 * study, except that the space may become larger.
 *
 * @param sampler as {@code Samplers.of} takes it
 * @param pruner as {@code Pruners.of} takes it
 * @param window how many trials may run without a suggestion seeing their results; 1 searches
 *     sequentially
 */
public record StudySettings(
    String name,
    Space space,
    Direction direction,
    String metric,
    Seed seed,
    JsonNode sampler,
    JsonNode pruner,
    Order order,
    int window) {

  private static final int FORMAT = 1;

  /** Which results a suggestion uses, see the package. */
  public enum Order {
    /** Those before it, by number. */
    FIXED,
    /** Those that have come. */
    ARRIVAL
  }

  public StudySettings {
    if (window < 1) {
      throw new UsageException("window is %d, expected 1 or more".formatted(window));
    }
  }

  /** The same with another space. */
  StudySettings with(Space other) {
    return new StudySettings(name, other, direction, metric, seed, sampler, pruner, order, window);
  }

  /** The first record of the study's journal. */
  JournalRecord.Study record() {
    return new JournalRecord.Study(
        FORMAT,
        name,
        SpaceYaml.write(space),
        word(direction),
        metric,
        seed.value(),
        sampler,
        pruner,
        word(order),
        window,
        Instant.now().toEpochMilli());
  }

  /** The settings that a journal begins with. */
  public static StudySettings of(JournalRecord.Study record) {
    if (record.format() != FORMAT) {
      throw new UsageException(
          "the journal of study '%s' has format %d, and this version reads format %d"
              .formatted(record.name(), record.format(), FORMAT));
    }
    return new StudySettings(
        record.name(),
        SpaceYaml.read(record.space(), parameter -> ""),
        Direction.valueOf(record.direction().toUpperCase(Locale.ROOT)),
        record.metric(),
        new Seed(record.seed()),
        record.sampler(),
        record.pruner(),
        Order.valueOf(record.order().toUpperCase(Locale.ROOT)),
        record.window());
  }

  /**
   * Refuses to go on with another study than the one that was begun.
   *
   * @param begun what the journal says
   */
  void requireSame(StudySettings begun) {
    require("direction", word(begun.direction), word(direction));
    require("metric", begun.metric, metric);
    require("seed", begun.seed.value(), seed.value());
    require("order", word(begun.order), word(order));
    require("sampler", begun.sampler.toString(), sampler.toString());
    require("pruner", begun.pruner.toString(), pruner.toString());
    require("window", begun.window, window);
  }

  private void require(String key, Object begun, Object now) {
    if (!begun.equals(now)) {
      throw new UsageException(
          "study '%s' was begun with %s %s, not %s, which cannot change; begin another by --name"
              .formatted(name, key, begun, now));
    }
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
