package dev.tandem.train;

import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.Region;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.BatchSource;
import dev.tandem.nn.BuffersBefore;
import dev.tandem.nn.ClassCounts;
import dev.tandem.nn.Evaluation;
import dev.tandem.nn.Gradients;
import dev.tandem.nn.Loss;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.nn.StateCopy;
import dev.tandem.parallel.state.WholeDigest;
import dev.tandem.train.StopRequests.Decision;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What steps have in common in which every rank holds the whole network. */
abstract class ReplicatedStep implements DistributedStep {

  /** All ranks. */
  protected final Communicator communicator;

  /** The ranks that have other samples. */
  protected final Communicator data;

  protected final Network network;
  protected final Optimizer optimizer;
  private final Map<String, Region> regions;
  protected Phases phases = new Phases();
  private final GroupInput input;
  private final Validation validation;
  private final boolean classifies;
  private final boolean mixes;
  private final BuffersBefore buffersBefore;

  ReplicatedStep(StepContext context) {
    communicator = context.groups().all();
    data = context.groups().data();
    network = context.network();
    optimizer = context.optimizer();
    regions = optimizer.stateRegions();
    classifies = network.loss().target() == Loss.Target.LABEL;
    mixes = context.config().data().mixup() > 0;
    input = context.rank().input();
    validation = new Validation(context.config(), context.rank(), this::plan);
    buffersBefore = new BuffersBefore(network);
  }

  @Override
  public SlicedState state(Map<String, String> values) {
    return new SlicedState(optimizer.stateTree(values), regions);
  }

  @Override
  public SlicedState stateToSave(Map<String, String> values) {
    if (!network.onDevice()) {
      return state(values);
    }
    StateCopy copy = optimizer.stateCopy(values);
    return new SlicedState(copy.tree(), regions, copy.arrival());
  }

  @Override
  public Optional<SlicedState> aloneState(Map<String, String> values, boolean unfinished) {
    if (unfinished) {
      buffersBefore.restore();
    }
    return Optional.of(state(values)).filter(state -> isWhole() && state.slices().isEmpty());
  }

  @Override
  public void restored() {
    optimizer.stateChanged();
  }

  @Override
  public BatchSource ahead(BatchSource batches) {
    // Mixtures of samples are made on the host.
    return network.onDevice() && !mixes ? new AheadBatches(batches, network) : batches;
  }

  @Override
  public Arena sampleArena() {
    return network.sampleArena();
  }

  /** Whether this rank has all parameters and their state. */
  private boolean isWhole() {
    return network.part().norms().isEmpty();
  }

  @Override
  public void begin(Phases told) {
    phases = told;
  }

  @Override
  public final double run(Batch batch, long step) {
    buffersBefore.remember();
    return compute(batch, step);
  }

  /** As {@link #run}; may change the network's buffers. */
  abstract double compute(Batch batch, long step);

  @Override
  public final double accuracy() {
    return classifies ? correctShare() : Double.NaN;
  }

  /** The share of the last step's samples that were classified right. */
  abstract double correctShare();

  @Override
  public List<TensorView> gradients() {
    network.downloadGradients(0);
    return network.gradients();
  }

  @Override
  public double clip(double longest) {
    return longest > 0 ? Gradients.clip(network, longest) : Gradients.norm(network);
  }

  @Override
  public void update(double rate) {
    optimizer.step(rate);
  }

  @Override
  public boolean discard(String problem) {
    buffersBefore.restore();
    return false;
  }

  @Override
  public Decision afterStep(StopRequests requests) {
    return requests.together(communicator);
  }

  @Override
  public GroupInput input() {
    return input;
  }

  @Override
  public Evaluation evaluate(RecordSource test) {
    return validation.of(network, test);
  }

  @Override
  public Optional<ClassCounts> classes() {
    return validation.classes();
  }

  @Override
  public long mostTensorBytes() {
    long[] most = {network.memory().peak()};
    communicator.allreduce(MemorySegment.ofArray(most), DType.INT64, ReduceOp.MAX);
    return most[0];
  }

  @Override
  public Replicas replicas() {
    StateTree state = optimizer.stateTree(Map.of());
    if (isWhole()) {
      return Replicas.of(communicator, state);
    }
    WholeDigest digest = WholeDigest.of(communicator, state, regions);
    return new Replicas(digest.identical(), digest.digest());
  }

  @Override
  public void close() {
    buffersBefore.close();
  }
}
