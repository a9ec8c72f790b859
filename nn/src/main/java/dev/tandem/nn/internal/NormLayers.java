package dev.tandem.nn.internal;

import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.T_TensorTensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The normalisations within one sample; they save means and inverse deviations. */
final class NormLayers {

  /** Whether kernels take input of bfloat16 with parameters of float32; older ones do not. */
  private static final boolean MIXED = mixes();

  private NormLayers() {}

  private static boolean mixes() {
    try (PointerScope _ = new PointerScope()) {
      Tensor input = torch.zeros(new long[] {1, 1}, new TensorOptions(ScalarType.BFloat16));
      Tensor weight = torch.zeros(new long[] {1}, new TensorOptions(ScalarType.Float));
      TensorOptional parameter = new TensorOptional(weight);
      torch.native_layer_norm(input, new long[] {1}, parameter, parameter, 1);
      return true;
    } catch (RuntimeException _) {
      return false;
    }
  }

  /** What the kernel can be given for this input or gradient. */
  private static Tensor accepted(Tensor tensor) {
    return MIXED || Torch.type(tensor) != ScalarType.BFloat16
        ? tensor
        : tensor.to(ScalarType.Float);
  }

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
          accepted(input),
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
      // Older releases of the engine take the places of channels-last data for those of contiguous.
      Tensor input = accepted(pass.input()).contiguous();
      return torch.native_group_norm_backward(
          accepted(gradient).contiguous(),
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
          accepted(input), features(input), tensors.exact(0), tensors.exact(1), spec.epsilon());
    }

    @Override
    T_TensorTensorTensor_T gradients(Pass pass, Tensor gradient, BoolPointer wanted) {
      return torch.native_layer_norm_backward(
          accepted(gradient),
          accepted(pass.input()),
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
