package dev.tandem.nn.internal;

import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import java.util.List;

/**
 * The parameters and buffers of one layer, borrowed, and the type that it computes in.
 *
 * @param converted the parameters in the type of activations, if something keeps such copies
 * @param computing the type of activations; parameters of another type are converted on each use
 * @param accelerated whether all is on a device, in the order that it is fastest with
 * @param stay whether parameters are there between the passes; if not, layers keep no copies
 * @param workspace for exchanges with other ranks; shared by the layers of a network
 * @param transferTime adds up the time of transfers; likewise
 */
public record LayerTensors(
    List<Tensor> parameters,
    List<Tensor> buffers,
    List<Tensor> converted,
    ScalarType computing,
    boolean accelerated,
    boolean stay,
    Workspace workspace,
    TransferTime transferTime) {

  public LayerTensors {
    parameters = List.copyOf(parameters);
    buffers = List.copyOf(buffers);
    converted = List.copyOf(converted);
  }

  /** Those of a layer on the processor. */
  public LayerTensors(
      List<Tensor> parameters,
      List<Tensor> buffers,
      ScalarType computing,
      boolean stay,
      Workspace workspace,
      TransferTime transferTime) {
    this(parameters, buffers, List.of(), computing, false, stay, workspace, transferTime);
  }

  /** A parameter in its own type: normalisations keep their few parameters exact. */
  Tensor parameter(int index) {
    return parameters.get(index);
  }

  /** A parameter as the layer computes with it. */
  Tensor computing(int index) {
    if (!converted.isEmpty()) {
      return converted.get(index);
    }
    Tensor parameter = parameters.get(index);
    return parameter.type() == computing ? parameter : parameter.to(computing);
  }

  /**
   * The same in the engine's fastest order. To be saved for the backward passes, unless parameters
   * do not stay: otherwise each of them would convert the order again.
   */
  Tensor computingFast(int index) {
    return accelerated ? computing(index) : Torch.fast(parameters.get(index), computing);
  }

  /** These converted parameters as a pass saves them: nothing if parameters do not stay. */
  Tensor[] saved(Tensor... converted) {
    return stay ? converted : new Tensor[0];
  }

  /** A parameter as the layer computes with it, or nothing if the layer has no such parameter. */
  Tensor computingOptional(int index) {
    return index < parameters.size() ? computing(index) : null;
  }
}
