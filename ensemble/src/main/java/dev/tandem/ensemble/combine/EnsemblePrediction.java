package dev.tandem.ensemble.combine;

import dev.tandem.core.UsageException;
import dev.tandem.train.Predictor.Answer;
import dev.tandem.train.RowPredictor;
import dev.tandem.train.answer.AnswerEvent;
import dev.tandem.train.answer.AnswerRequest;
import dev.tandem.train.answer.Answering;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** What the members of an ensemble together say about files: images, or rows of tables. */
public final class EnsemblePrediction {

  private final OpenMembers open;
  private final Combiner combiner;

  /** Predictions by open members. */
  public EnsemblePrediction(OpenMembers open, Combiner combiner) {
    this.open = open;
    this.combiner = combiner;
  }

  /**
   * Asks all members about the request's files, then gives the events of one who answers for all.
   */
  public void predict(AnswerRequest request, Consumer<AnswerEvent> answers) {
    AnswerRequest all = request.withTop(Integer.MAX_VALUE);
    List<List<AnswerEvent>> given = new ArrayList<>();
    for (int member = 0; member < open.runs().size(); member++) {
      List<AnswerEvent> events = new ArrayList<>();
      Answering.with(open.runs().get(member), all, events::add);
      given.add(events);
      if (events.size() != given.getFirst().size()) {
        throw new UsageException(
            "%s and %s predict other rows of the same files"
                .formatted(open.members().names().get(member), open.members().names().getFirst()));
      }
    }
    for (int i = 0; i < given.getFirst().size(); i++) {
      int at = i;
      answers.accept(
          combined(given.stream().map(events -> events.get(at)).toList(), request.top()));
    }
  }

  private AnswerEvent combined(List<AnswerEvent> events, int top) {
    return switch (events.getFirst()) {
      case AnswerEvent.Image(String file, List<Answer> _) ->
          new AnswerEvent.Image(
              file,
              classes(
                  events.stream().map(event -> ((AnswerEvent.Image) event).answers()).toList(),
                  top));
      case AnswerEvent.Row(RowPredictor.Prediction first) -> {
        List<RowPredictor.Prediction> rows =
            events.stream().map(event -> ((AnswerEvent.Row) event).prediction()).toList();
        yield new AnswerEvent.Row(
            new RowPredictor.Prediction(
                first.file(),
                first.line(),
                first.classes().isEmpty()
                    ? List.of()
                    : classes(rows.stream().map(RowPredictor.Prediction::classes).toList(), top),
                first.values().isEmpty()
                    ? List.of()
                    : values(rows.stream().map(RowPredictor.Prediction::values).toList())));
      }
      case AnswerEvent.Opened opened -> opened;
      case AnswerEvent.Evaluated evaluated -> evaluated;
      case AnswerEvent.Bad bad -> bad;
    };
  }

  private List<Answer> classes(List<List<Answer>> byMember, int top) {
    int width = byMember.getFirst().size();
    String[] names = new String[width];
    byMember.getFirst().forEach(answer -> names[answer.label()] = answer.name());
    double[][] probabilities = new double[byMember.size()][width];
    for (int member = 0; member < probabilities.length; member++) {
      for (Answer answer : byMember.get(member)) {
        probabilities[member][answer.label()] = answer.probability();
      }
    }
    double[] shares = combiner.combine(probabilities);
    List<Answer> answers = new ArrayList<>();
    for (int label = 0; label < width; label++) {
      answers.add(new Answer(label, names[label], shares[label]));
    }
    return answers.stream()
        .sorted(Comparator.comparingDouble(Answer::probability).reversed())
        .limit(top)
        .toList();
  }

  private List<Double> values(List<List<Double>> byMember) {
    double[][] values =
        byMember.stream()
            .map(each -> each.stream().mapToDouble(Double::doubleValue).toArray())
            .toArray(double[][]::new);
    List<Double> answer = new ArrayList<>();
    for (double value : combiner.combine(values)) {
      answer.add(value);
    }
    return answer;
  }
}
