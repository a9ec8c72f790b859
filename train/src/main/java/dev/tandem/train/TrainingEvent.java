package dev.tandem.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import dev.tandem.data.load.StallReport;
import dev.tandem.nn.ClassCounts;
import dev.tandem.nn.Evaluation;
import dev.tandem.sync.trace.RankTimes;
import dev.tandem.sync.trace.StragglerReport;
import dev.tandem.train.run.RunRecord;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What is reported of a run, one line of JSON each in its {@code metrics.jsonl}: by rank 0 steps,
 * epochs and checkpoints as they end, after each epoch what held the loading up and which rank held
 * the others up, then the result; by the launcher what happens to the processes. Readers ignore
 * events and keys that they do not know.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = TrainingEvent.Step.class, name = "step"),
  @JsonSubTypes.Type(value = TrainingEvent.Layers.class, name = "layers"),
  @JsonSubTypes.Type(value = TrainingEvent.Epoch.class, name = "epoch"),
  @JsonSubTypes.Type(value = TrainingEvent.Loading.class, name = "loading"),
  @JsonSubTypes.Type(value = TrainingEvent.Stragglers.class, name = "stragglers"),
  @JsonSubTypes.Type(value = TrainingEvent.Ranks.class, name = "ranks"),
  @JsonSubTypes.Type(value = TrainingEvent.SystemLoad.class, name = "system"),
  @JsonSubTypes.Type(value = TrainingEvent.Result.class, name = "result"),
  @JsonSubTypes.Type(value = TrainingEvent.Checkpoint.class, name = "checkpoint"),
  @JsonSubTypes.Type(value = TrainingEvent.Begin.class, name = "begin"),
  @JsonSubTypes.Type(value = TrainingEvent.Rewind.class, name = "rewind"),
  @JsonSubTypes.Type(value = TrainingEvent.Generation.class, name = "generation"),
  @JsonSubTypes.Type(value = TrainingEvent.Note.class, name = "note"),
  @JsonSubTypes.Type(value = TrainingEvent.End.class, name = "end")
})
public sealed interface TrainingEvent {

  /** Says in a run's {@code run.json} how it stands now. */
  default void report(RunRecord record) {
    record.retry();
  }

  /**
   * A step has ended. Times are those of rank 0, in milliseconds.
   *
   * @param step number of this step, from 1
   * @param images images that all ranks have trained on since the start
   * @param totalImages images of the whole run
   * @param loss mean loss over the samples of all ranks
   * @param gradientNorm Euclidean, over all parameters, before it was shortened
   * @param batch samples that a step has over all ranks
   * @param accuracy share of these samples that were classified right before the update, 0 to 1;
   *     null where nothing is classified
   * @param ms of the step and of the saves since the one before; its parts follow
   * @param read waited for data
   * @param sync waited for other ranks, after what the backward pass hides
   * @param update norm of the gradients and change of the parameters
   * @param save stood still for a checkpoint after the step before
   */
  record Step(
      long step,
      long images,
      long totalImages,
      @JsonSerialize(using = ShortestFloat.class) double loss,
      @JsonSerialize(using = ShortestFloat.class) double learningRate,
      @JsonSerialize(using = ShortestFloat.class) double gradientNorm,
      int batch,
      @JsonInclude(JsonInclude.Include.NON_NULL) Float accuracy,
      float ms,
      float read,
      float forward,
      float backward,
      float sync,
      float update,
      float save)
      implements TrainingEvent {}

  /**
   * How long the layers of rank 0 took in some steps, once in a process.
   *
   * @param step the last of these steps
   * @param steps their number
   * @param layers of the rank's part of the network
   */
  record Layers(long step, int steps, List<LayerTime> layers) implements TrainingEvent {}

  /**
   * What a layer took in a step, in milliseconds.
   *
   * @param transfer in which it waited for other ranks or exchanged with them
   */
  record LayerTime(String layer, float forward, float backward, float transfer) {}

  /**
   * An epoch has ended and the test set was evaluated by all ranks together.
   *
   * @param testAccuracy not a number, and left out, if targets are values
   * @param regression null, and left out, unless targets are values
   * @param samples of the test set
   * @param top5 share of samples whose class had one of the five highest scores, 0 to 1; null, and
   *     left out, with five classes or fewer
   * @param classes what became of the samples of each class; null if targets are values
   * @param confusion how often samples of a class were taken for each class; null with more than
   *     100 classes
   */
  record Epoch(
      long epoch,
      long step,
      @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = NotANumber.class)
          double testAccuracy,
      double testLoss,
      @JsonInclude(JsonInclude.Include.NON_NULL) RegressionScores regression,
      long samples,
      @JsonInclude(JsonInclude.Include.NON_NULL) Float top5,
      @JsonInclude(JsonInclude.Include.NON_NULL) List<ClassResult> classes,
      @JsonInclude(JsonInclude.Include.NON_NULL) List<List<Long>> confusion)
      implements TrainingEvent {

    /** The event of an evaluation. */
    static Epoch of(long epoch, long step, Evaluation test, Optional<ClassCounts> counted) {
      Optional<ClassCounts> counts = counted.filter(_ -> !test.regression());
      return new Epoch(
          epoch,
          step,
          test.regression() ? Double.NaN : test.accuracy(),
          test.meanLoss(),
          RegressionScores.of(test),
          test.samples(),
          counts
              .filter(ClassCounts::ranks)
              .map(each -> (float) ((double) each.topFive() / test.samples()))
              .orElse(null),
          counts.map(ClassResult::of).orElse(null),
          counts.filter(ClassCounts::confuses).map(Epoch::confusion).orElse(null));
    }

    private static List<List<Long>> confusion(ClassCounts counts) {
      return IntStream.range(0, counts.classes())
          .mapToObj(
              label ->
                  IntStream.range(0, counts.classes())
                      .mapToObj(answer -> counts.confusion(label, answer))
                      .toList())
          .toList();
    }
  }

  /** What became of the samples of a class. */
  record ClassResult(long right, long count) {

    static List<ClassResult> of(ClassCounts counts) {
      return IntStream.range(0, counts.classes())
          .mapToObj(label -> new ClassResult(counts.right(label), counts.count(label)))
          .toList();
    }
  }

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
   * Where the time of each rank went since the last of these; reported where there are several
   * ranks, which meet after each step. Lists have one number for each rank: milliseconds as {@link
   * RankTimes} has them.
   *
   * @param steps that they are the mean of
   */
  record Ranks(
      long step,
      long steps,
      List<Float> input,
      List<Float> compute,
      @JsonProperty("wait") List<Float> waiting,
      List<Float> coreWait,
      List<Float> lateness)
      implements TrainingEvent {

    static Ranks of(long step, long steps, RankTimes times) {
      return new Ranks(
          step,
          steps,
          times.input(),
          times.compute(),
          times.waiting(),
          times.coreWait(),
          times.lateness());
    }
  }

  /**
   * What the processes of the ranks use of their machines; lists have one number for each rank.
   *
   * @param seconds since the last of these
   * @param cpu percent of one processor, in that time
   * @param rss memory of the process, in bytes
   * @param heap of which Java's objects take, in bytes
   * @param gcMs milliseconds of garbage collection, in that time
   * @param readBytes from storage, in that time; likewise written
   * @param netBytes sent to other ranks and received from them, in that time
   * @param queue batches that the loader has ready
   */
  record SystemLoad(
      long step,
      float seconds,
      List<Long> cpu,
      List<Long> rss,
      List<Long> heap,
      List<Long> gcMs,
      List<Long> readBytes,
      List<Long> writtenBytes,
      List<Long> netBytes,
      List<Long> queue)
      implements TrainingEvent {}

  /**
   * The run has ended.
   *
   * @param accuracy share of the test set that is classified right, 0 to 1; not a number if targets
   *     are values
   * @param bestLoss test loss of the best validation if targets are values, else not a number
   * @param regression null, and left out, unless targets are values
   * @param bestAccuracy that of the best validation, which was after {@code bestStep}
   * @param stoppedEarly whether it ended because validations brought no gain any more
   * @param imagesPerSecond training images of all ranks by the time of the steps (evaluation and
   *     checkpoint not counted)
   * @param readSeconds time that rank 0 waited for data; likewise compute and sync
   * @param gradientBytes of all tensors that rank 0 has given to be summed
   * @param payloadBytes of what it has written for them: fewer if they are compressed
   * @param replicasIdentical all ranks ended with the same bits in parameters and optimizer
   * @param digest SHA-256 of that state on rank 0
   * @param tensorBytes the most that the tensors of a rank had at once, of the rank with most
   * @param checkpoint where the last state is; empty if it was there before
   */
  record Result(
      @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = NotANumber.class)
          double accuracy,
      double testLoss,
      @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = NotANumber.class)
          double bestAccuracy,
      @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = NotANumber.class)
          double bestLoss,
      @JsonInclude(JsonInclude.Include.NON_NULL) RegressionScores regression,
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
      long tensorBytes,
      String checkpoint)
      implements TrainingEvent {}

  /**
   * A checkpoint was saved, or could not be.
   *
   * @param level what it was saved to: the name of a folder
   * @param state {@code committed} or {@code failed}
   * @param bytes that rank 0 has written
   * @param stallMs for which training stood still
   * @param seconds from then until it was committed
   */
  record Checkpoint(long step, String level, String state, long bytes, float stallMs, float seconds)
      implements TrainingEvent {}

  /**
   * The ranks begin to train, or to continue.
   *
   * @param made steps that are made already
   * @param totalSteps of the whole run, if the batch stays as it is; likewise samples
   * @param strategy how the ranks share the work: their numbers along each way to split; null in
   *     the events of older versions
   */
  record Begin(
      long made,
      long totalSteps,
      long totalSamples,
      long epochs,
      int ranks,
      String strategy,
      String engine,
      String device)
      implements TrainingEvent {

    @Override
    public void report(RunRecord record) {
      record.running(
          new RunRecord.Plan(ranks, strategy, engine, device, totalSteps, totalSamples, epochs));
    }
  }

  /** The run continues after this step: what was reported of later ones is void. */
  record Rewind(long step) implements TrainingEvent {}

  /**
   * Processes were lost or replaced, and these train together from here; a {@link Note} says why.
   *
   * @param number from 2; counted again when the run is resumed
   */
  record Generation(int number, int ranks) implements TrainingEvent {}

  /** Something that a person should know. */
  record Note(String text) implements TrainingEvent {}

  /**
   * The processes of the run have ended.
   *
   * @param state as in {@code run.json}
   * @param error why, if it failed; else empty
   */
  record End(String state, String error) implements TrainingEvent {}

  /** What JSON leaves out: it has no word for it. */
  final class NotANumber {

    @Override
    public boolean equals(Object value) {
      return value instanceof Double number && number.isNaN();
    }

    @Override
    public int hashCode() {
      return 0;
    }
  }

  /** How a line of standard output that carries an event begins. */
  String LINE_PREFIX = "@tandem ";

  /**
   * The event as one line of JSON.
   *
   * @param time when it happened, in milliseconds since 1970
   */
  default String json(long time) {
    try {
      String event = Codec.JSON.writeValueAsString(this);
      return "{\"t\":" + time + "," + event.substring(1);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The event in a line of a rank's standard output, if there is one. */
  static Optional<TrainingEvent> ofLine(String line) {
    if (!line.startsWith(LINE_PREFIX)) {
      return Optional.empty();
    }
    return ofJson(line.substring(LINE_PREFIX.length()));
  }

  /** The event that {@link #json} wrote, if it is one that this version knows. */
  static Optional<TrainingEvent> ofJson(String json) {
    try {
      return Optional.of(Codec.JSON.readValue(json, TrainingEvent.class));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  /** The mapper, apart because an interface has no private constants. */
  final class Codec {
    private static final ObjectMapper JSON =
        new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private Codec() {}
  }

  /** Writes a number with as many digits as a {@code float} needs. */
  final class ShortestFloat extends JsonSerializer<Double> {

    @Override
    public void serialize(Double value, JsonGenerator generator, SerializerProvider provider)
        throws IOException {
      generator.writeNumber(value.floatValue());
    }
  }
}
