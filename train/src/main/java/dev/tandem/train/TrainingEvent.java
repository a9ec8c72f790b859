package dev.tandem.train;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.data.load.StallReport;
import dev.tandem.sync.trace.StragglerReport;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What rank 0 reports of a run, in this order: steps and epochs as they end, after each epoch what
 * held the loading up and which rank held the others up, then the result.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = TrainingEvent.Step.class, name = "step"),
  @JsonSubTypes.Type(value = TrainingEvent.Epoch.class, name = "epoch"),
  @JsonSubTypes.Type(value = TrainingEvent.Loading.class, name = "loading"),
  @JsonSubTypes.Type(value = TrainingEvent.Stragglers.class, name = "stragglers"),
  @JsonSubTypes.Type(value = TrainingEvent.Result.class, name = "result")
})
public sealed interface TrainingEvent {

  /**
   * A step has ended.
   *
   * @param step number of this step, from 1
   * @param images images that all ranks have trained on since the start
   * @param totalImages images of the whole run
   * @param loss mean loss over the samples of all ranks
   * @param gradientNorm Euclidean, over all parameters, before it was shortened
   * @param batch samples that a step has over all ranks
   */
  record Step(
      long step,
      long images,
      long totalImages,
      double loss,
      double learningRate,
      double gradientNorm,
      int batch)
      implements TrainingEvent {}

  /** An epoch has ended and the test set was evaluated by all ranks together. */
  record Epoch(long epoch, long step, double testAccuracy, double testLoss)
      implements TrainingEvent {}

  /**
   * What waited for what between the storage and the network, since the run began, in rank 0.
   * Evaluation counts as the consumer's own time.
   *
   * @param bottleneck the slowest part, as {@link StallReport#bottleneck} names it
   */
  record Loading(long step, StallReport.Stage bottleneck, StallReport stalls)
      implements TrainingEvent {}

  /**
   * Which rank held the others up since the last of these; reported where there are several.
   *
   * @param rank which; -1 if none
   * @param sentence that names rank and cause
   * @param text tables for a person: steps, transfers, which rank waits for which, oversleep
   */
  record Stragglers(
      long step,
      StragglerReport.Cause cause,
      int rank,
      String sentence,
      List<StragglerReport.Row> rows,
      String text)
      implements TrainingEvent {}

  /**
   * The run has ended.
   *
   * @param accuracy share of the test set that is classified right, 0 to 1
   * @param bestAccuracy that of the best validation, which was after {@code bestStep}
   * @param stoppedEarly whether it ended because validations brought no gain any more
   * @param imagesPerSecond training images of all ranks by the time of the steps (evaluation and
   *     checkpoint not counted)
   * @param readSeconds time that rank 0 waited for data; likewise compute and sync
   * @param gradientBytes of all tensors that rank 0 has given to be summed
   * @param payloadBytes of what it has written for them: fewer if they are compressed
   * @param replicasIdentical all ranks ended with the same bits in parameters and optimizer
   * @param digest SHA-256 of that state on rank 0
   * @param checkpoint where the last state is; empty if it was there before
   */
  record Result(
      double accuracy,
      double testLoss,
      double bestAccuracy,
      long bestStep,
      boolean stoppedEarly,
      double imagesPerSecond,
      int ranks,
      boolean replicasIdentical,
      String digest,
      long steps,
      double trainSeconds,
      double readSeconds,
      double computeSeconds,
      double syncSeconds,
      long gradientBytes,
      long payloadBytes,
      double checkpointSeconds,
      String checkpoint)
      implements TrainingEvent {}

  /** How a line of standard output that carries an event begins. */
  String LINE_PREFIX = "@tandem ";

  /** The step after which it was reported; none for the result, which is reported once. */
  default OptionalLong after() {
    return switch (this) {
      case Step step -> OptionalLong.of(step.step());
      case Epoch epoch -> OptionalLong.of(epoch.step());
      case Loading loading -> OptionalLong.of(loading.step());
      case Stragglers stragglers -> OptionalLong.of(stragglers.step());
      case Result result -> OptionalLong.empty();
    };
  }

  /** The event as one line of JSON. */
  default String json() {
    try {
      return Codec.JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The event in a line of a rank's standard output, if there is one. */
  static Optional<TrainingEvent> ofLine(String line) {
    if (!line.startsWith(LINE_PREFIX)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          Codec.JSON.readValue(line.substring(LINE_PREFIX.length()), TrainingEvent.class));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  /** The mapper, apart because an interface has no private constants. */
  final class Codec {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Codec() {}
  }
}
