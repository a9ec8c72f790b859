package dev.tandem.nn;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.internal.GraphRun;
import dev.tandem.nn.internal.Lockstep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

  /** The mean loss of each batch; on a device known after {@link #losses}. */
  private final double[] losses;

  /** On a device, what is still to be read there. */
  private final List<Tensor> results = new ArrayList<>();

  OpenRun(
      Network network, Passes passes, List<Samples> shards, TrainingStep step, boolean recompute) {
    this(
        network,
        passes,
        shards,
        step,
        recompute,
        shards.stream().map(each -> passes.input(each.inputs(), each.count()).retain()).toList());
  }

  /**
   * The same for inputs that are there.
   *
   * @param prepared as the layers take them; released when this is closed
   */
  OpenRun(
      Network network,
      Passes passes,
      List<Samples> shards,
      TrainingStep step,
      boolean recompute,
      List<Tensor> prepared) {
    losses = new double[shards.size()];
    this.network = network;
    this.passes = passes;
    this.shards = List.copyOf(shards);
    this.step = step;
    long firstSample = step.firstSample();
    for (int i = 0; i < shards.size(); i++) {
      Samples samples = shards.get(i);
      inputs.add(prepared.get(i));
      runs.add(passes.run(i, samples, step, prepared.get(i), firstSample, recompute));
      firstSample += samples.count();
    }
    StatisticsReducer reducer = step.statistics();
    lockstep =
        new Lockstep(
            runs, reducer == null ? null : reducer::sum, step.observer().map(this::observer));
  }

  /** From the input to the outputs and what they cost. */
  public void forward() {
    network.inScope(
        () -> {
          network.beginPass();
          lockstep.forward();
          for (int i = 0; i < losses.length; i++) {
            Samples samples = shards.get(i);
            if (network.onDevice()) {
              int count = samples.count();
              results.add(
                  passes
                      .compareOnDevice(
                          lockstep,
                          i,
                          passes.targets(samples.targets(), count),
                          samples.second().map(each -> passes.targets(each.targets(), count)),
                          samples.second().map(Samples.Second::weight).orElse(0.0),
                          step.share(count))
                      .retain());
            } else {
              losses[i] = passes.compare(lockstep, i, samples, step);
            }
          }
          return null;
        });
  }

  /** The same, while the device records, with targets that are there; the results, retained. */
  Tensor forward(Tensor targets, double share) {
    network.beginPass();
    lockstep.forward();
    return passes.compareOnDevice(lockstep, 0, targets, Optional.empty(), 0, share).retain();
  }

  /** From the outputs back, while the device records: nobody is told. */
  void backwardUntold() {
    lockstep.backward((run, parameter) -> {});
  }

  /**
   * The mean loss of each batch, after {@link #forward}; 0 in a part of a network that has no
   * outputs. On a device this waits: best after {@link #backward}.
   */
  public double[] losses() {
    if (!results.isEmpty()) {
      network.inScope(
          () -> {
            for (int i = 0; i < losses.length; i++) {
              losses[i] = passes.read(results.get(i), i, step);
              results.get(i).release();
            }
            results.clear();
            return null;
          });
    }
    return losses.clone();
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
    results.forEach(Tensor::release);
    results.clear();
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
          Tensor rows = values.to(ScalarType.of(network.dtype())).contiguous().onHost();
          Shape shape = Shape.of(values.sizes());
          to.accept(new TensorView(node, network.dtype(), shape, rows.memory()));
          return null;
        });
  }
}
