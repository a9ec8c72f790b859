package dev.tandem.nn;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.internal.GraphRun;
import dev.tandem.nn.internal.Lockstep;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Batches of a training step on their way through a network: forward, then backward. Several may be
 * open at once; each keeps its activations until its backward pass has used them, or until it is
 * closed. Used by the thread that uses the network.
 */
public final class OpenRun implements AutoCloseable {

  private final Network network;
  private final Passes passes;
  private final List<Samples> shards;
  private final TrainingStep step;
  private final List<Tensor> inputs = new ArrayList<>();
  private final List<GraphRun> runs = new ArrayList<>();
  private final Lockstep lockstep;

  OpenRun(
      Network network, Passes passes, List<Samples> shards, TrainingStep step, boolean recompute) {
    this.network = network;
    this.passes = passes;
    this.shards = List.copyOf(shards);
    this.step = step;
    long firstSample = step.firstSample();
    for (int i = 0; i < shards.size(); i++) {
      Samples samples = shards.get(i);
      Tensor input = passes.input(samples.inputs(), samples.count()).retain();
      inputs.add(input);
      runs.add(passes.run(i, samples, step, input, firstSample, recompute));
      firstSample += samples.count();
    }
    StatisticsReducer reducer = step.statistics();
    lockstep =
        new Lockstep(
            runs, reducer == null ? null : reducer::sum, step.observer().map(this::observer));
  }

  /**
   * From the input to the outputs and what they cost.
   *
   * @return the mean loss of each batch; 0 in a part of a network that has no outputs
   */
  public double[] forward() {
    return network.inScope(
        () -> {
          lockstep.forward();
          double[] losses = new double[runs.size()];
          for (int i = 0; i < losses.length; i++) {
            losses[i] = passes.compare(lockstep, i, shards.get(i), step);
          }
          return losses;
        });
  }

  /** From the outputs back; the gradients are there then. */
  public void backward() {
    network.inScope(
        () -> {
          step.ready().backwardBegins();
          lockstep.backward((run, parameter) -> passes.tell(step, run, parameter));
          return null;
        });
  }

  /** Lets go of all that is still kept. */
  @Override
  public void close() {
    runs.forEach(GraphRun::close);
    runs.clear();
    inputs.forEach(Tensor::release);
    inputs.clear();
  }

  private Lockstep.Observer observer(LayerObserver observer) {
    return new Lockstep.Observer() {
      @Override
      public void output(int run, String node, Tensor values) {
        show(node, values, view -> observer.output(run, view));
      }

      @Override
      public void gradient(int run, String node, Tensor values) {
        show(node, values, view -> observer.gradient(run, view));
      }
    };
  }

  private void show(String node, Tensor values, Consumer<TensorView> to) {
    network.inScope(
        () -> {
          Tensor rows = values.to(ScalarType.of(network.dtype())).contiguous();
          Shape shape = Shape.of(values.sizes());
          to.accept(new TensorView(node, network.dtype(), shape, rows.memory()));
          return null;
        });
  }
}
