package dev.tandem.nn.internal;

import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * The parameters and buffers of one layer, borrowed, and the type that it computes in.
 *
 * @param computing the type of activations; parameters of another type are converted on each use
 */
public record LayerTensors(List<Tensor> parameters, List<Tensor> buffers, ScalarType computing) {

  public LayerTensors {
    parameters = List.copyOf(parameters);
    buffers = List.copyOf(buffers);
  }

  Tensor parameter(int index) {
    return parameters.get(index);
  }

  /** A parameter as the layer computes with it. */
  Tensor computing(int index) {
    Tensor parameter = parameters.get(index);
    return Torch.type(parameter) == computing ? parameter : parameter.to(computing);
  }

  /**
   * The same in the engine's fastest order. To be saved for the backward passes: otherwise each of
   * them would convert the order again.
   */
  Tensor computingFast(int index) {
    return Torch.fast(parameters.get(index), computing);
  }

  /** A parameter as the layer computes with it, or nothing if the layer has no such parameter. */
  TensorOptional computingOptional(int index) {
    return index < parameters.size() ? new TensorOptional(computing(index)) : new TensorOptional();
  }

  /** A parameter in its own type: normalisations keep their few parameters exact. */
  TensorOptional exact(int index) {
    return new TensorOptional(parameters.get(index));
  }
}
