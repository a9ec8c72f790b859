package dev.tandem.nn.internal;

import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.pytorch.T_TensorTensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The normalisations within one sample; they save means and inverse deviations. */
final class NormLayers {

  private NormLayers() {}

  /** Groups of channels. */
  static final class Group extends NormLayer {

    private final GroupNorm spec;
    private final LayerTensors tensors;

    Group(GroupNorm spec, LayerTensors tensors) {
      // With channels last, the engine's kernel dies if it is not asked for the data's gradient.
      super(false);
      this.spec = spec;
      this.tensors = tensors;
    }

    @Override
    T_TensorTensorTensor_T normalise(Tensor input, Mode mode) {
      return torch.native_group_norm(
          input,
          tensors.exact(0),
          tensors.exact(1),
          input.size(0),
          input.size(1),
          places(input),
          spec.groups(),
          spec.epsilon());
    }

    @Override
    T_TensorTensorTensor_T gradients(Pass pass, Tensor gradient, BoolPointer wanted) {
      Tensor input = pass.input();
      return torch.native_group_norm_backward(
          gradient,
          input,
          pass.saved(0),
          pass.saved(1),
          tensors.exact(0),
          input.size(0),
          input.size(1),
          places(input),
          spec.groups(),
          wanted);
    }

    private static long places(Tensor input) {
      return input.numel() / input.size(0) / input.size(1);
    }
  }

  /** The features of each row. */
  static final class Features extends NormLayer {

    private final LayerNorm spec;
    private final LayerTensors tensors;

    Features(LayerNorm spec, LayerTensors tensors) {
      super(true);
      this.spec = spec;
      this.tensors = tensors;
    }

    @Override
    T_TensorTensorTensor_T normalise(Tensor input, Mode mode) {
      return torch.native_layer_norm(
          input, features(input), tensors.exact(0), tensors.exact(1), spec.epsilon());
    }

    @Override
    T_TensorTensorTensor_T gradients(Pass pass, Tensor gradient, BoolPointer wanted) {
      return torch.native_layer_norm_backward(
          gradient,
          pass.input(),
          features(pass.input()),
          pass.saved(0),
          pass.saved(1),
          tensors.exact(0),
          tensors.exact(1),
          wanted);
    }

    private static long[] features(Tensor input) {
      return new long[] {input.size(input.dim() - 1)};
    }
  }
}
