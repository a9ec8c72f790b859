package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.load.Batch;
import dev.tandem.data.load.Plan;
import dev.tandem.data.order.Position;
import dev.tandem.nn.Network;
import dev.tandem.nn.Optimizer;
import dev.tandem.servers.Notice;
import dev.tandem.servers.TrafficBytes;
import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.train.Phases.Phase;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Level {@code fast} with parameter servers: each rank computes the gradients of its share of a
 * step, hands them to the servers and goes on with what these have, at its own pace. Losses and
 * norms are those of the rank's own share; all ranks meet only where their state is looked at.
 */
final class ServerStep implements DistributedStep {

  private final Communicator communicator;
  private final Network network;
  private final DataParallelStep share;
  private final ServedParameters served;
  private final Phases phases;
  private final Consumer<String> log;
  private Optional<String> trouble = Optional.empty();
  private double loss;

  /** Gradients stay what they are: those of this rank. */
  static final class Unsynchronized implements GradientSynchronizer {

    @Override
    public void submit(TensorView gradient, float weight) {
      // The servers get all gradients of a step at once.
    }

    @Override
    public void await() {
      // There is nothing under way.
    }
  }

  /**
   * Work of one rank.
   *
   * @param share of a step, with an {@link Unsynchronized} synchroniser; closed with this
   * @param served closed with this
   * @param log is told on rank 0 what was moved
   */
  ServerStep(
      Communicator communicator,
      Network network,
      DataParallelStep share,
      ServedParameters served,
      Phases phases,
      Consumer<String> log) {
    this.communicator = communicator;
    this.network = network;
    this.share = share;
    this.served = served;
    this.phases = phases;
    this.log = log;
  }

  @Override
  public double run(Batch batch, long step) {
    phases.in(Phase.SYNC, served::pull);
    double own = phases.in(Phase.COMPUTE, () -> share.own(batch, step));
    loss = batch.count() == 0 ? loss : own;
    return loss;
  }

  /** The servers make the update; its result is fetched when it is needed. */
  @Override
  public void update(Optimizer optimizer, double rate) {
    served.push(rate);
  }

  /** Others cannot know: they hear of it with the next update, which leaves this share out. */
  @Override
  public boolean withholds(String what) {
    network.gradientBuffer().fill((byte) 0);
    trouble = trouble.or(() -> Optional.of(what));
    served.servers().tell(Notice.TROUBLE);
    return true;
  }

  /** Nobody joins others that are at different steps, so a wish to leave is not heard. */
  @Override
  public StopRequests.Outcome outcome(StopRequests requests) {
    if (requests.stop().isPresent() && requests.stop().get().getAsBoolean()) {
      served.servers().tell(Notice.STOP);
    }
    phases.in(Phase.SYNC, served::pull);
    return served.servers().stopsHere() ? StopRequests.Outcome.STOP : StopRequests.Outcome.GO_ON;
  }

  @Override
  public String whyItStops() {
    return served.servers().told(Notice.TROUBLE)
        ? trouble.orElse("another rank's gradients were not fit to be used; it says which")
        : "as asked";
  }

  /** All that was handed over is applied, and every rank has the result. */
  @Override
  public void agreeOnBuffers() {
    phases.in(Phase.SYNC, served::drain);
    share.agreeOnBuffers();
  }

  @Override
  public Plan plan(Position from, long steps) {
    return share.plan(from, steps);
  }

  @Override
  public void check(long smallestStep) {
    share.check(smallestStep);
  }

  @Override
  public void leave() {
    served.drain(); // so that all know of any trouble
    served.servers().finish();
    TrafficBytes own = served.servers().traffic();
    double[] all = {own.near(), own.far(), served.servers().meanLag() / communicator.size()};
    communicator.allreduce(MemorySegment.ofArray(all), DType.FLOAT64, ReduceOp.SUM);
    if (communicator.rank() == 0) {
      log.accept(
          String.format(
              Locale.ROOT,
              "parameter servers: ranks worked with parameters that lacked %.2f steps of the slowest"
                  + " on average; %.1f MB were moved near, %.1f MB far",
              all[2],
              all[0] / 1e6,
              all[1] / 1e6));
    }
    if (served.servers().told(Notice.TROUBLE) && !served.servers().stopsHere()) {
      throw new WorkFailedException("the run has ended, but " + whyItStops());
    }
  }

  @Override
  public void close() {
    served.close();
    share.close();
  }
}
