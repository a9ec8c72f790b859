package dev.tandem.train.answer;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.nn.Evaluation;
import dev.tandem.train.Predictor;
import dev.tandem.train.RowPredictor;
import java.util.List;
import java.util.Optional;

/** Part of an answer, in the order in which they become known. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "answer")
@JsonSubTypes({
  @JsonSubTypes.Type(value = AnswerEvent.Opened.class, name = "opened"),
  @JsonSubTypes.Type(value = AnswerEvent.Evaluated.class, name = "evaluated"),
  @JsonSubTypes.Type(value = AnswerEvent.Image.class, name = "image"),
  @JsonSubTypes.Type(value = AnswerEvent.Row.class, name = "row"),
  @JsonSubTypes.Type(value = AnswerEvent.Bad.class, name = "bad")
})
public sealed interface AnswerEvent {

  /** How the line of a rank begins. */
  String LINE_PREFIX = "@answer ";

  /**
   * The run is open; always the first.
   *
   * @param step of the checkpoint
   * @param device what computes, for a person
   * @param arrays whether samples are arrays instead of images
   * @param targets names of the columns that are predicted, if rows of tables are
   */
  record Opened(long step, String device, boolean arrays, List<String> targets)
      implements AnswerEvent {}

  /** What the evaluation of a test set gave. */
  record Evaluated(Evaluation evaluation) implements AnswerEvent {}

  /** The likeliest classes of an image file. */
  record Image(String file, List<Predictor.Answer> answers) implements AnswerEvent {}

  /** What was predicted for a row of a table. */
  record Row(RowPredictor.Prediction prediction) implements AnswerEvent {}

  /** A file that is no image. */
  record Bad(String file, String reason) implements AnswerEvent {}

  /** As a line of a rank's standard output. */
  default String line() {
    try {
      return LINE_PREFIX + Codec.JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The event in a line of a rank's standard output, if there is one. */
  static Optional<AnswerEvent> ofLine(String line) {
    if (!line.startsWith(LINE_PREFIX)) {
      return Optional.empty();
    }
    try {
      String json = line.substring(LINE_PREFIX.length());
      return Optional.of(Codec.JSON.readValue(json, AnswerEvent.class));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The mapper, apart because an interface has no private constants. */
  final class Codec {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Codec() {}
  }
}
