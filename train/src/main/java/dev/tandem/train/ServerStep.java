package dev.tandem.train;

import dev.tandem.checkpoint.SlicedState;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Position;
import dev.tandem.servers.Notice;
import dev.tandem.servers.TrafficBytes;
import dev.tandem.sync.compress.Volume;
import dev.tandem.train.Phases.Phase;
import dev.tandem.train.StopRequests.Decision;
import dev.tandem.train.StopRequests.Outcome;
import dev.tandem.train.config.OptimizerConfig;
import dev.tandem.train.config.ServersConfig;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Level {@code fast} with parameter servers: each rank computes the gradients of its slice of a
 * step, sends them to the servers and continues with the parameters that these have, at its own
 * pace. Losses and norms are those of the rank's own slice; all ranks meet only where their state
 * is looked at.
 */
final class ServerStep extends ReplicatedStep {

  private final ServersConfig servers;
  private final OptimizerConfig.Sgd rule;
  private final LocalGradients local;
  private final Consumer<String> log;
  private ServedParameters served;
  private Optional<String> trouble = Optional.empty();
  private double loss;
  private double correctShare;
  private long sent;

  /**
   * The step of one rank. The servers start in {@link #begin}, with the state of that moment.
   *
   * @param log gets a line on rank 0 at the end: what was moved
   */
  ServerStep(StepContext context, ServersConfig servers, Consumer<String> log) {
    super(context);
    this.servers = servers;
    this.rule = (OptimizerConfig.Sgd) context.config().optimizer(); // as the configuration checked
    this.log = log;
    local =
        new LocalGradients(
            context,
            (gradient, weight) -> {}, // the servers get all at once
            new BatchStatistics(context.groups(), Map.of()));
  }

  @Override
  public void begin(Phases told) {
    super.begin(told);
    served =
        new ServedParameters(
            communicator,
            servers.layout(communicator),
            servers.staleness(),
            servers.compensate(),
            rule,
            network,
            optimizer);
  }

  /** The state is on the servers: each rank has a part. */
  @Override
  public Optional<SlicedState> aloneState(Map<String, String> values, boolean unfinished) {
    return Optional.empty();
  }

  @Override
  public Plan plan(Position from, long steps) {
    return local.plan(from, steps);
  }

  @Override
  double compute(Batch batch, long step) {
    phases.in(Phase.SYNC, served::pull);
    double own = phases.in(Phase.FORWARD, () -> local.compute(batch, step, phases));
    if (batch.count() > 0) {
      loss = own;
      correctShare = (double) local.correct() / batch.count();
    }
    return loss;
  }

  @Override
  double correctShare() {
    return correctShare;
  }

  /** Servers get the terms of a sum: if each is at most this long, the sum is not too long. */
  @Override
  public double clip(double longest) {
    return super.clip(longest / communicator.size());
  }

  /** The servers make the update; its result is fetched when it is needed. */
  @Override
  public void update(double rate) {
    served.push(rate);
    sent += network.gradients().stream().mapToLong(TensorView::byteSize).sum();
  }

  /** Others cannot know: the next update, which leaves this slice out, notifies them. */
  @Override
  public boolean discard(String problem) {
    super.discard(problem);
    network.gradientBuffer().fill((byte) 0);
    trouble = trouble.or(() -> Optional.of(problem));
    served.servers().tell(Notice.TROUBLE);
    return true;
  }

  /** Ranks are at different steps, so that none can join: requests to leave are not answered. */
  @Override
  public Decision afterStep(StopRequests requests) {
    if (requests.endAsked()) {
      served.servers().tell(Notice.STOP);
    }
    phases.in(Phase.SYNC, served::pull);
    if (!served.servers().stopsHere()) {
      return Decision.CONTINUE;
    }
    if (served.servers().told(Notice.TROUBLE)) {
      return new Decision(Outcome.FAIL, reason());
    }
    // All ranks are here: they agree which of the two it is.
    return requests.together(communicator).outcome() == Outcome.FINISH
        ? Decision.FINISH
        : Decision.STOP;
  }

  private String reason() {
    return trouble.orElse("another rank's gradients could not be used; its own message says why");
  }

  /** All that was sent is applied, and every rank has the result. */
  @Override
  public void agree() {
    phases.in(Phase.SYNC, served::drain);
    local.averageBuffers();
  }

  @Override
  public Volume volume() {
    return new Volume(sent, sent);
  }

  @Override
  public void finish() {
    served.drain(); // so that all know of any trouble
    served.servers().finish();
    TrafficBytes own = served.servers().traffic();
    double[] all = {own.near(), own.far(), served.servers().meanLag() / communicator.size()};
    communicator.allreduce(MemorySegment.ofArray(all), DType.FLOAT64, ReduceOp.SUM);
    if (communicator.rank() == 0) {
      log.accept(
          String.format(
              Locale.ROOT,
              "parameter servers: ranks worked with parameters that lacked %.2f steps of the"
                  + " slowest on average; %.1f MB were moved near, %.1f MB far",
              all[2],
              all[0] / 1e6,
              all[1] / 1e6));
    }
    if (served.servers().told(Notice.TROUBLE) && !served.servers().stopsHere()) {
      throw new WorkFailedException("the run has ended, but " + reason());
    }
  }

  @Override
  public void close() {
    if (served != null) {
      served.close();
    }
    super.close();
  }
}
