package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.core.TensorView;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Position;
import dev.tandem.nn.ClassCounts;
import dev.tandem.nn.Evaluation;
import dev.tandem.sync.compress.Volume;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A way to train on several ranks: which samples a rank is given, what it computes of a step, how
 * the ranks' gradients become one update, and which part of the run's state the rank holds. The
 * training loop knows nothing else of it: a rank may have a slice of the batch, the samples of
 * others, or none, and it may hold the whole network or a part.
 *
 * <p>All ranks have the same kind of step and call the same methods in the same order: {@link
 * #state} to restore from, {@link #begin}, then for each step {@link #run}, {@link #clip}, {@link
 * #update} or {@link #discard}, and {@link #afterStep}; {@link #finish} after the last. One thread.
 * What an implementation is constructed with stays its owner's unless its constructor says
 * otherwise. {@code StepFactory} chooses the implementation of a configuration.
 */
public interface DistributedStep extends AutoCloseable {

  /**
   * What this rank holds of the run's state, as a checkpoint takes it: views of live memory. Names
   * and whole shapes are those of the undivided network, so that a checkpoint opens under any kind
   * of step. Valid between steps, after {@link #agree}.
   *
   * @param values kept beside the tensors
   */
  SlicedState state(Map<String, String> values);

  /**
   * The same state as it is now, to be saved while training goes on: a device may still be copying
   * it. Who saves it says when it has been read.
   */
  default SlicedState stateToSave(Map<String, String> values) {
    return state(values);
  }

  /** What this rank restores from checkpoints; refuses those that it cannot continue. */
  default SlicedState restorable(CheckpointStore checkpoints) {
    return state(Map.of());
  }

  /** What {@link #restorable} gave was restored: the step takes what is in it now. */
  default void restored() {}

  /** The batches of a source as this step takes them; closing them closes the source. */
  default BatchSource ahead(BatchSource batches) {
    return batches;
  }

  /** Memory for the batches of a source, which closes it. */
  default Arena sampleArena() {
    return Arena.ofShared();
  }

  /**
   * The whole state, if this rank holds all of it, after another rank was lost: no rank is asked.
   *
   * @param unfinished whether the loss was in {@link #run}, before the update: then it is the state
   *     before that step
   */
  default Optional<SlicedState> aloneState(Map<String, String> values, boolean unfinished) {
    return Optional.empty();
  }

  /**
   * Training begins with the state as it is now.
   *
   * @param phases counts where the time of steps goes
   */
  void begin(Phases phases);

  /** Which samples this rank is given, from a position on. */
  Plan plan(Position from, long steps);

  /** How this rank comes by the inputs of its samples. */
  GroupInput input();

  /** The pieces in which a batch is computed. */
  default InputPart.Pieces pieces() {
    return InputPart.Pieces.ONE;
  }

  /**
   * Refuses batches that this way of training cannot divide.
   *
   * @param smallestStep samples of the smallest step, over all ranks
   */
  default void check(long smallestStep) {}

  /**
   * Computes a step's gradients, ready for the update.
   *
   * @param batch the samples of this rank, as {@link #plan} has them
   * @param step its number, from 0
   * @return the mean loss over the step's samples of all ranks, the same on every rank; where ranks
   *     do not wait for each other, over those of this rank
   */
  double run(Batch batch, long step);

  /**
   * The share of the last step's samples that were classified right before its update, of all ranks
   * or of those that {@link #run} has the loss of; not a number where nothing is classified.
   */
  default double accuracy() {
    return Double.NaN;
  }

  /** The gradients that this rank holds after {@link #run}, to name one in a message. */
  List<TensorView> gradients();

  /**
   * The Euclidean norm of the whole network's gradients, the same on every rank that sees the same
   * gradients.
   *
   * @param longest gradients with a larger norm are scaled down to it; 0 for no limit
   */
  double clip(double longest);

  /** Changes the parameters by the gradients. */
  void update(double rate);

  /**
   * The gradients of this step must not be used: forgets what the step has changed.
   *
   * @param problem what is wrong with them
   * @return whether this rank alone knows: then it continues with {@link #update}, which leaves its
   *     samples out, and {@link #afterStep} stops all ranks. Else all ranks have seen the same
   */
  boolean discard(String problem);

  /** What all ranks do after this step, the same on all of them. */
  StopRequests.Decision afterStep(StopRequests requests);

  /**
   * Brings the state of ranks that hold the same parts to the same bits, with all updates applied:
   * running statistics, and whatever else they have by themselves between steps.
   */
  void agree();

  /** Evaluates the network on a test set, all ranks together; each gets the result. */
  Evaluation evaluate(RecordSource test);

  /**
   * The most bytes that the tensors of a rank had at once so far, of the rank with most. All ranks
   * ask together.
   */
  long mostTensorBytes();

  /** The classes that the last evaluation has counted; none where nothing is classified. */
  default Optional<ClassCounts> classes() {
    return Optional.empty();
  }

  /** Whether ranks that hold the same parts hold the same bits, and a digest of the whole. */
  Replicas replicas();

  /** Bytes of the gradients that this rank has handed over so far to be combined with others'. */
  Volume volume();

  /** All ranks have made their last step and saved it. */
  default void finish() {}

  @Override
  void close();
}
