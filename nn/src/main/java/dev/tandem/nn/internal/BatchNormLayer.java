package dev.tandem.nn.internal;

import dev.tandem.nn.spec.BatchNorm;
import java.util.List;
import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.T_TensorTensorTensor_T;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Batch normalisation, alone or together with other batches.
 *
 * <p>Alone, the engine's kernels do it in one go; the pass saves mean and inverse deviation.
 * Together, each pass is cut in two where the batches meet: local sums first, then, with the sums
 * of all, the rest; the pass saves mean, variance and number of elements of all batches. In both
 * cases the gradients of the parameters are those of this batch alone. In evaluation, and so in a
 * frozen layer, the running statistics are constants; the pass saves nothing.
 */
public final class BatchNormLayer extends NormLayer {

  /** Number of tensors that a pass alone saves. */
  private static final int ALONE = 2;

  private final BatchNorm spec;
  private final LayerTensors tensors;

  BatchNormLayer(BatchNorm spec, LayerTensors tensors) {
    super(true);
    this.spec = spec;
    this.tensors = tensors;
  }

  @Override
  T_TensorTensorTensor_T normalise(Tensor input, Mode mode) {
    return torch.native_batch_norm(
        input,
        tensors.exact(0),
        tensors.exact(1),
        new TensorOptional(tensors.buffers().get(0)),
        new TensorOptional(tensors.buffers().get(1)),
        mode.training(),
        spec.momentum(),
        spec.epsilon());
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Pass pass = super.forward(inputs, mode);
    return mode.training() ? pass : new Pass(pass.input(), pass.output());
  }

  /** One row of float64: number of elements of a channel, their sums, the sums of their squares. */
  public Tensor forwardSums(Tensor input) {
    long count = input.numel() / input.size(1);
    Tensor exact = Torch.type(input) == ScalarType.BFloat16 ? input.to(ScalarType.Float) : input;
    T_TensorTensor_T result = torch.var_mean(exact, Torch.allButChannels(input), false, false);
    Tensor variance = result.get0().to(ScalarType.Double);
    Tensor mean = result.get1().to(ScalarType.Double);
    Scalar elements = new Scalar((double) count);
    Tensor sums = mean.mul(elements);
    Tensor squares = variance.add(mean.mul(mean)).mul(elements);
    Tensor number = torch.full_like(mean.narrow(0, 0, 1), elements);
    return torch.cat(new TensorVector(number, sums, squares), 0);
  }

  /** Lets the sums of all batches into the running statistics: once for each step. */
  public void remember(Tensor totals) {
    double count = totals.narrow(0, 0, 1).item_double();
    Scalar momentum = new Scalar(spec.momentum());
    Tensor runningMean = tensors.buffers().get(0);
    Tensor runningVariance = tensors.buffers().get(1);
    Tensor unbiased = variance(totals).mul(new Scalar(count / Math.max(1, count - 1)));
    runningMean.lerp_(mean(totals).to(runningMean.scalar_type()), momentum);
    runningVariance.lerp_(unbiased.to(runningVariance.scalar_type()), momentum);
  }

  /** The second half of forward, with the sums of all batches. */
  public Pass forwardTogether(Tensor input, Tensor totals) {
    ScalarType exact = Torch.type(tensors.parameter(0));
    Tensor mean = mean(totals).to(exact);
    Tensor variance = variance(totals).to(exact);
    T_TensorTensorTensor_T result =
        torch.native_batch_norm(
            input,
            tensors.exact(0),
            tensors.exact(1),
            new TensorOptional(mean),
            new TensorOptional(variance),
            false,
            spec.momentum(),
            spec.epsilon());
    return new Pass(
        input, Torch.own(result.get0()), mean, variance, Torch.own(totals.narrow(0, 0, 1)));
  }

  /** One row of float64: for each channel the gradient by the weight, then that by the bias. */
  public Tensor backwardSums(Pass pass, Tensor outputGradient) {
    T_TensorTensorTensor_T result = weightGradients(pass, outputGradient);
    return torch.cat(
        new TensorVector(result.get1().to(ScalarType.Double), result.get2().to(ScalarType.Double)),
        0);
  }

  /** Puts the gradients of the parameters, which are the sums of this batch, into the sink. */
  void putWeights(Tensor sums, GradientSink sink) {
    long channels = sums.numel() / 2;
    sink.put(0, sums.narrow(0, 0, channels));
    sink.put(1, sums.narrow(0, channels, channels));
  }

  /**
   * The second half of backward-data, with the sums of all batches: dx = w r (dy - b / n - h a / n)
   * where a and b are the sums, n the elements, r the inverse deviation and h the normalised input.
   */
  public Tensor backwardDataTogether(Pass pass, Tensor outputGradient, Tensor totals) {
    long channels = totals.numel() / 2;
    Tensor mean = pass.saved(0).to(ScalarType.Double);
    Tensor inverse = pass.saved(1).to(ScalarType.Double).add(new Scalar(spec.epsilon())).rsqrt();
    Scalar share = new Scalar(1 / pass.saved(2).item_double());
    Tensor byWeight = totals.narrow(0, 0, channels).mul(share);
    Tensor byBias = totals.narrow(0, channels, channels).mul(share);
    // dx = outer dy + inner x + constant, each one number for a channel.
    Tensor outer = tensors.parameter(0).to(ScalarType.Double).mul(inverse);
    Tensor inner = outer.mul(inverse).mul(byWeight).neg();
    Tensor constant = outer.mul(byBias).add(inner.mul(mean)).neg();
    return outputGradient
        .mul(channel(outer, pass))
        .add_(pass.input().mul(channel(inner, pass)))
        .add_(channel(constant, pass));
  }

  @Override
  T_TensorTensorTensor_T gradients(Pass pass, Tensor gradient, BoolPointer wanted) {
    boolean alone = pass.saved().size() == ALONE;
    List<Tensor> statistics = pass.saved().isEmpty() ? tensors.buffers() : pass.saved();
    TensorOptional nothing = new TensorOptional();
    TensorOptional mean = new TensorOptional(statistics.get(0));
    TensorOptional spread = new TensorOptional(statistics.get(1));
    return torch.native_batch_norm_backward(
        gradient,
        pass.input(),
        tensors.exact(0),
        alone ? nothing : mean,
        alone ? nothing : spread,
        alone ? mean : nothing,
        alone ? spread : nothing,
        alone,
        spec.epsilon(),
        wanted);
  }

  private static Tensor channel(Tensor values, Pass pass) {
    return Torch.perChannel(values, pass.input()).to(pass.input().scalar_type());
  }

  private static Tensor mean(Tensor totals) {
    long channels = totals.numel() / 2;
    return totals.narrow(0, 1, channels).div(totals.narrow(0, 0, 1));
  }

  private static Tensor variance(Tensor totals) {
    long channels = totals.numel() / 2;
    Tensor mean = mean(totals);
    return totals
        .narrow(0, 1 + channels, channels)
        .div(totals.narrow(0, 0, 1))
        .sub(mean.mul(mean))
        .clamp_min(new Scalar(0.0));
  }
}
