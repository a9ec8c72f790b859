package dev.tandem.bench.ensemble;

import dev.tandem.core.UsageException;
import dev.tandem.ensemble.Pipeline;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How much is measured.
 *
 * @param rounds of all pipelines, in one order and then in the other
 * @param images of a member that count, in a case
 * @param members how many an ensemble has
 * @param consumers what members do with images
 * @param pipelines those that are compared
 * @param studies what is looked at
 */
public record EnsembleEffort(
    int rounds,
    int images,
    List<Integer> members,
    List<ImageConsumer> consumers,
    List<Pipeline> pipelines,
    Set<EnsembleStudy> studies) {

  private static final int PREPROCESSORS = 2;

  /** For figures to rely on. */
  public static final EnsembleEffort FULL =
      new EnsembleEffort(
          3,
          2 * EnsembleImages.COUNT,
          List.of(2, 4, 8),
          List.of(ImageConsumer.values()),
          List.of(
              new Pipeline.Duplicated(),
              new Pipeline.AllShared(),
              new Pipeline.SingleBroadcast(PREPROCESSORS),
              new Pipeline.MultiBroadcast(PREPROCESSORS)),
          EnumSet.allOf(EnsembleStudy.class));

  /** Within three minutes. */
  public static final EnsembleEffort QUICK =
      new EnsembleEffort(
          2,
          2 * EnsembleImages.COUNT,
          List.of(2, 4),
          List.of(ImageConsumer.MEDIUM),
          List.of(new Pipeline.Duplicated(), new Pipeline.AllShared()),
          EnumSet.of(EnsembleStudy.COST, EnsembleStudy.PEAK));

  public EnsembleEffort {
    members = List.copyOf(members);
    consumers = List.copyOf(consumers);
    pipelines = List.copyOf(pipelines);
    studies = Set.copyOf(studies);
    if (rounds < 1) {
      throw new UsageException("--rounds must be at least 1, not " + rounds);
    }
    if (members.isEmpty() || members.stream().anyMatch(count -> count < 1 || count > 32)) {
      throw new UsageException("--members is %s, expected numbers from 1 to 32".formatted(members));
    }
  }

  public EnsembleEffort withRounds(int count) {
    return new EnsembleEffort(count, images, members, consumers, pipelines, studies);
  }

  public EnsembleEffort withMembers(List<Integer> counts) {
    return new EnsembleEffort(rounds, images, counts, consumers, pipelines, studies);
  }

  public EnsembleEffort withConsumers(List<ImageConsumer> some) {
    return new EnsembleEffort(rounds, images, members, some, pipelines, studies);
  }

  public EnsembleEffort withStudies(Set<EnsembleStudy> some) {
    return new EnsembleEffort(rounds, images, members, consumers, pipelines, some);
  }

  /** The most processes of all cases. */
  int processes() {
    int most = members.stream().mapToInt(Integer::intValue).max().orElseThrow();
    return most + pipelines.stream().mapToInt(Pipeline::ownPreprocessors).max().orElse(0);
  }
}
