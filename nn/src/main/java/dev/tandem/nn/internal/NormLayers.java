package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Functions.Three;
import dev.tandem.nn.engine.Mask;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;

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
    Three normalise(Tensor input, Mode mode) {
      // On a device the engine's kernel takes channels first only.
      return inOrder(
          Functions.groupNorm(
              tensors.accelerated() ? input.contiguous() : input,
              tensors.parameter(0),
              tensors.parameter(1),
              spec.groups(),
              spec.epsilon()));
    }

    @Override
    Three gradients(Pass pass, Tensor gradient, Mask wanted) {
      return inOrder(
          Functions.groupNormBackward(
              gradient.contiguous(),
              pass.input().contiguous(),
              pass.saved(0),
              pass.saved(1),
              tensors.parameter(0),
              spec.groups(),
              wanted));
    }

    private Three inOrder(Three result) {
      return tensors.accelerated() && result.first() != null
          ? new Three(Torch.fast(result.first()), result.second(), result.third())
          : result;
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
    Three normalise(Tensor input, Mode mode) {
      return Functions.layerNorm(input, tensors.parameter(0), tensors.parameter(1), spec.epsilon());
    }

    @Override
    Three gradients(Pass pass, Tensor gradient, Mask wanted) {
      return Functions.layerNormBackward(
          gradient,
          pass.input(),
          pass.saved(0),
          pass.saved(1),
          tensors.parameter(0),
          tensors.parameter(1),
          wanted);
    }
  }
}
