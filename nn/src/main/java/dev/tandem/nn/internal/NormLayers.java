package dev.tandem.nn.internal;

import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import java.util.List;
import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.pytorch.T_TensorTensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The normalisations within one sample; they save means and inverse deviations. */
final class NormLayers {

  private NormLayers() {}

  /** What both have in common: one kernel gives all gradients, or those that are wanted. */
  abstract static class WithinSample implements Layer {

    private final BoolPointer dataOnly = Torch.mask(true, false, false);
    private final BoolPointer weightsOnly;
    private final BoolPointer everything = Torch.mask(true, true, true);

    WithinSample(boolean weightsAlone) {
      weightsOnly = Torch.mask(!weightsAlone, true, true);
    }

    abstract T_TensorTensorTensor_T gradients(Pass pass, Tensor gradient, BoolPointer wanted);

    abstract T_TensorTensorTensor_T normalise(Tensor input);

    @Override
    public Pass forward(List<Tensor> inputs, Mode mode) {
      Tensor input = inputs.getFirst();
      T_TensorTensorTensor_T result = normalise(input);
      return new Pass(
          input, Torch.own(result.get0()), Torch.own(result.get1()), Torch.own(result.get2()));
    }

    @Override
    public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
      return List.of(Torch.own(gradients(pass, outputGradient, dataOnly).get0()));
    }

    @Override
    public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
      T_TensorTensorTensor_T result = gradients(pass, outputGradient, weightsOnly);
      sink.put(0, result.get1());
      sink.put(1, result.get2());
    }

    @Override
    public List<Tensor> backward(
        Pass pass, Tensor outputGradient, GradientSink sink, Runnable weightsReady) {
      T_TensorTensorTensor_T result = gradients(pass, outputGradient, everything);
      sink.put(0, result.get1());
      sink.put(1, result.get2());
      weightsReady.run();
      return List.of(Torch.own(result.get0()));
    }

    @Override
    public void close() {
      dataOnly.close();
      weightsOnly.close();
      everything.close();
    }
  }

  /** Groups of channels. */
  static final class Group extends WithinSample {

    private final GroupNorm spec;
    private final LayerTensors tensors;

    Group(GroupNorm spec, LayerTensors tensors) {
      // With channels last, the engine's kernel dies if it is not asked for the data's gradient.
      super(false);
      this.spec = spec;
      this.tensors = tensors;
    }

    @Override
    T_TensorTensorTensor_T normalise(Tensor input) {
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
  static final class Features extends WithinSample {

    private final LayerNorm spec;
    private final LayerTensors tensors;

    Features(LayerNorm spec, LayerTensors tensors) {
      super(true);
      this.spec = spec;
      this.tensors = tensors;
    }

    @Override
    T_TensorTensorTensor_T normalise(Tensor input) {
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
