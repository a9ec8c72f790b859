package dev.tandem.ensemble.combine;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.source.DataPart;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.Evaluation;
import dev.tandem.train.RunOutputs;
import dev.tandem.train.SavedRun;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How good an ensemble is by each method, beside each of its members, on the same samples. Methods
 * that are fitted are judged crosswise ({@link CrossFit}).
 *
 * @param samples of the test set
 * @param members by member
 * @param methods by method
 * @param weights of the members in the methods that are means; fitted to all samples
 */
public record EnsembleEvaluation(
    long samples,
    List<Evaluation> members,
    Map<CombineMethod, Evaluation> methods,
    Map<CombineMethod, List<Double>> weights) {

  /**
   * Evaluates on the test set of the first member; if the members are those of an ensemble, its
   * folder keeps what was fitted, for predictions.
   *
   * @param data another test set
   */
  public static EnsembleEvaluation of(OpenMembers open, Optional<Path> data) {
    CrossFit fit = fit(open, data);
    Map<CombineMethod, Combiner> combiners = fit.combiners();
    Map<CombineMethod, Evaluation> methods = new EnumMap<>(CombineMethod.class);
    Map<CombineMethod, List<Double>> weights = new EnumMap<>(CombineMethod.class);
    combiners.forEach(
        (method, combiner) -> {
          methods.put(method, fit.evaluate(method));
          if (combiner instanceof Averaging averaging) {
            weights.put(method, averaging.weights());
          }
        });
    if (data.isEmpty()) {
      open.members().folder().ifPresent(folder -> fitted(open, combiners).write(folder));
    }
    List<Evaluation> members = new ArrayList<>();
    for (int member = 0; member < open.members().count(); member++) {
      members.add(fit.member(member));
    }
    return new EnsembleEvaluation(members.getFirst().samples(), members, methods, weights);
  }

  /**
   * The combiner of a method for new samples. What has to be fitted is taken from the ensemble's
   * folder, or fitted now, to the test set of the first member.
   */
  public static Combiner combiner(OpenMembers open, CombineMethod method) {
    boolean regression = open.config().regression();
    int width = open.config().network().classes();
    if (!CombineMethod.suitable(regression, width).contains(method)) {
      throw new UsageException(
          "--combine %s does not go with %d %s; expected %s"
              .formatted(
                  method.code(),
                  width,
                  regression ? "values" : "classes",
                  String.join(
                      ", ",
                      CombineMethod.suitable(regression, width).stream()
                          .map(CombineMethod::code)
                          .toList())));
    }
    if (!method.fitted()) {
      return method == CombineMethod.MAJORITY
          ? new Majority()
          : Averaging.of(open.members().count());
    }
    Optional<Combiner> kept =
        open.members()
            .folder()
            .flatMap(folder -> FittedCombiners.in(folder, open.members().names(), open.steps()))
            .map(fitted -> fitted.combiners().get(method.code()));
    return kept.orElseGet(
        () -> {
          Map<CombineMethod, Combiner> combiners = fit(open, Optional.empty()).combiners();
          open.members().folder().ifPresent(folder -> fitted(open, combiners).write(folder));
          return combiners.get(method);
        });
  }

  private static FittedCombiners fitted(OpenMembers open, Map<CombineMethod, Combiner> combiners) {
    return FittedCombiners.of(open.members().names(), open.steps(), combiners);
  }

  private static CrossFit fit(OpenMembers open, Optional<Path> data) {
    TrainingConfig config = open.config();
    DataPart own = config.data().part(Split.TEST, config.seed());
    DataPart part = data.map(own::at).orElse(own);
    List<RunOutputs> outputs = new ArrayList<>();
    try (RecordSource test = Sources.open(part, Locate.AUTO)) {
      if (test.size() == 0) {
        throw new UsageException(part.path() + " holds no records");
      }
      for (SavedRun run : open.runs()) {
        outputs.add(RunOutputs.of(run, test));
      }
    }
    return new CrossFit(
        new MemberAnswers(open.members().names(), outputs),
        new Seed(config.seed()).derive("combine"));
  }
}
