package dev.tandem.nn;

import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.internal.Bucket;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;

/**
 * Stochastic gradient descent with momentum, after Sutskever et al. as PyTorch writes it: v = m v +
 * g, then p -= rate * v, or with Nesterov p -= rate * (g + m v).
 *
 * <p>Weight decay adds a share of the parameter to its gradient; biases do not decay.
 */
public final class SgdMomentum implements Optimizer {

  /**
   * The numbers of the method.
   *
   * @param momentum share of the last direction that is kept, from 0 to less than 1
   * @param weightDecay share of a weight that is added to its gradient
   * @param nesterov look ahead along the new direction
   * @param largestNorm a gradient whose Euclidean norm over all parameters is larger is scaled down
   *     to this norm, in the network's buffer; infinite for no limit
   */
  public record Settings(
      double momentum, double weightDecay, boolean nesterov, double largestNorm) {

    public Settings {
      if (!(momentum >= 0 && momentum < 1)) {
        throw new UsageException("momentum is from 0 to less than 1, not " + momentum);
      }
      if (!(weightDecay >= 0)) {
        throw new UsageException("weight decay is 0 or more, not " + weightDecay);
      }
      if (!(largestNorm > 0)) {
        throw new UsageException("the largest gradient norm is more than 0, not " + largestNorm);
      }
    }
  }

  private final Network network;
  private final Arena arena = Arena.ofShared();
  private final Bucket directions;
  private final Settings settings;

  public SgdMomentum(Network network, Settings settings) {
    this.network = network;
    this.settings = settings;
    directions =
        new Bucket(arena, "optimizer.momentum.", network.dtype(), network.spec().parameters());
  }

  @Override
  public void step(double learningRate) {
    network.inScope(
        () -> {
          limitGradients();
          Scalar momentum = new Scalar(settings.momentum());
          Scalar weightDecay = new Scalar(settings.weightDecay());
          Scalar minusRate = new Scalar(-learningRate);
          List<TensorView> parameters = network.parameters();
          for (int i = 0; i < parameters.size(); i++) {
            Tensor parameter = network.parameterBucket().tensor(i);
            Tensor gradient = network.gradientBucket(0).tensor(i);
            Tensor direction = directions.tensor(i);
            boolean decays = settings.weightDecay() > 0 && isWeight(parameters.get(i));
            Tensor slope = decays ? gradient.add(parameter, weightDecay) : gradient;
            direction.mul_(momentum).add_(slope);
            parameter.add_(
                settings.nesterov() ? slope.add(direction, momentum) : direction, minusRate);
          }
          return null;
        });
  }

  @Override
  public List<TensorView> state() {
    return directions.views();
  }

  @Override
  public StateTree stateTree(Map<String, String> values) {
    List<TensorView> tensors = new ArrayList<>(network.parameters());
    tensors.addAll(network.buffers());
    tensors.addAll(state());
    return StateTree.of(tensors, values);
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      directions.close();
      arena.close();
    }
  }

  private void limitGradients() {
    if (Double.isInfinite(settings.largestNorm())) {
      return;
    }
    Tensor gradients = network.gradientBucket(0).everything();
    double norm = gradients.norm().item_double();
    if (norm > settings.largestNorm()) {
      gradients.mul_(new Scalar(settings.largestNorm() / norm));
    }
  }

  /** Weights have two dimensions or more, biases one. */
  private static boolean isWeight(TensorView parameter) {
    return parameter.shape().extents().size() > 1;
  }
}
