package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Functions.Normalised;
import dev.tandem.nn.engine.Functions.Three;
import dev.tandem.nn.engine.Functions.Two;
import dev.tandem.nn.engine.Mask;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Transfer;
import java.util.List;
import java.util.Optional;

/**
 * Batch normalisation, alone or together with other batches.
 *
 * <p>Alone, the engine's kernels do it in one go; the pass saves mean and inverse deviation.
 * Together, each pass is cut in two where the batches meet: local sums first, then, with the sums
 * of all, the rest; the pass saves mean, variance and number of elements of all batches. So it is
 * in a split network if ranks have parts of the batch. In all cases the gradients of the parameters
 * are those of this batch alone. In evaluation, and so in a frozen layer, the running statistics
 * are constants; the pass saves nothing.
 */
public final class BatchNormLayer extends NormLayer {

  /** Number of tensors that a pass alone saves. */
  private static final int ALONE = 2;

  /** In the number of a pass on a device: that of the first kernel. */
  private static final long FIRST_KERNEL = 1;

  private final BatchNorm spec;
  private final LayerTensors tensors;
  private final Optional<Transfer> ranks;

  BatchNormLayer(BatchNorm spec, LayerTensors tensors) {
    super(true);
    this.spec = spec;
    this.tensors = tensors;
    ranks = spec.ranks().map(tensors.transferTime()::measured);
  }

  @Override
  Three normalise(Tensor input, Mode mode) {
    return Functions.batchNorm(
        input,
        tensors.parameter(0),
        tensors.parameter(1),
        mode.repeated() ? null : tensors.buffers().get(0),
        mode.repeated() ? null : tensors.buffers().get(1),
        mode.training(),
        spec.momentum(),
        spec.epsilon());
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    if (mode.training() && ranks.isPresent()) {
      Tensor totals = forwardSums(inputs.getFirst());
      remember(totals, mode);
      return forwardTogether(inputs.getFirst(), totals);
    }
    if (tensors.accelerated() && mode.training()) {
      return forwardOnDevice(inputs.getFirst(), mode);
    }
    Pass pass = super.forward(inputs, mode);
    return mode.training() ? pass : new Pass(pass.input(), pass.output());
  }

  /** Saves what the kernel keeps for itself, too. */
  private Pass forwardOnDevice(Tensor input, Mode mode) {
    Normalised result =
        Functions.batchNormOnDevice(
            input,
            tensors.parameter(0),
            tensors.parameter(1),
            mode.repeated() ? null : tensors.buffers().get(0),
            mode.repeated() ? null : tensors.buffers().get(1),
            true,
            spec.momentum(),
            spec.epsilon());
    return new Pass(
        List.of(input),
        result.output(),
        List.of(result.mean(), result.inverse(), result.reserve()),
        FIRST_KERNEL + result.kernel());
  }

  /**
   * One row of float64: number of elements of a channel, their sums, the sums of their squares; of
   * all parts of the batch if ranks have parts of it.
   */
  public Tensor forwardSums(Tensor input) {
    if (input.numel() == 0) {
      return overRanks(Tensor.zeros(ScalarType.DOUBLE, 1 + 2 * input.size(1)));
    }
    double count = (double) input.numel() / input.size(1);
    Tensor exact = input.type() == ScalarType.BFLOAT16 ? input.to(ScalarType.FLOAT) : input;
    Two result = Functions.varianceAndMean(exact, Torch.allButChannels(input));
    Tensor variance = result.first().to(ScalarType.DOUBLE);
    Tensor mean = result.second().to(ScalarType.DOUBLE);
    Tensor sums = mean.mul(count);
    Tensor squares = variance.add(mean.mul(mean)).mul(count);
    Tensor number = mean.narrow(0, 0, 1).fullLike(count);
    return overRanks(Functions.concatenate(0, number, sums, squares));
  }

  /** Adds a row over the ranks that have parts of the batch, in place. */
  public Tensor overRanks(Tensor sums) {
    ranks.ifPresent(
        others -> Torch.throughHost(sums, memory -> others.allreduce(memory, DType.FLOAT64)));
    return sums;
  }

  /** Lets the sums of all batches into the running statistics: once for each step. */
  public void remember(Tensor totals, Mode mode) {
    if (mode.repeated()) {
      return;
    }
    double count = totals.narrow(0, 0, 1).item();
    Tensor runningMean = tensors.buffers().get(0);
    Tensor runningVariance = tensors.buffers().get(1);
    Tensor unbiased = variance(totals).mul(count / Math.max(1, count - 1));
    runningMean.lerp_(mean(totals).to(runningMean.type()), spec.momentum());
    runningVariance.lerp_(unbiased.to(runningVariance.type()), spec.momentum());
  }

  /** The second half of forward, with the sums of all batches. */
  public Pass forwardTogether(Tensor input, Tensor totals) {
    ScalarType exact = tensors.parameter(0).type();
    Tensor mean = mean(totals).to(exact);
    Tensor variance = variance(totals).to(exact);
    Three result =
        Functions.batchNorm(
            input,
            tensors.parameter(0),
            tensors.parameter(1),
            mean,
            variance,
            false,
            spec.momentum(),
            spec.epsilon());
    return new Pass(input, result.first(), mean, variance, totals.narrow(0, 0, 1));
  }

  /**
   * One row of float64: for each channel the gradient by the weight, then that by the bias, of what
   * is here.
   */
  public Tensor backwardSums(Pass pass, Tensor outputGradient) {
    if (outputGradient.numel() == 0) {
      return Tensor.zeros(ScalarType.DOUBLE, 2 * outputGradient.size(1));
    }
    Three result = weightGradients(pass, outputGradient);
    return Functions.concatenate(
        0, result.second().to(ScalarType.DOUBLE), result.third().to(ScalarType.DOUBLE));
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
    Tensor mean = pass.saved(0).to(ScalarType.DOUBLE);
    Tensor inverse = pass.saved(1).to(ScalarType.DOUBLE).add(spec.epsilon()).rsqrt();
    double share = 1 / pass.saved(2).item();
    Tensor byWeight = totals.narrow(0, 0, channels).mul(share);
    Tensor byBias = totals.narrow(0, channels, channels).mul(share);
    // dx = outer dy + inner x + constant, each one number for a channel.
    Tensor outer = tensors.parameter(0).to(ScalarType.DOUBLE).mul(inverse);
    Tensor inner = outer.mul(inverse).mul(byWeight).neg();
    Tensor constant = outer.mul(byBias).add(inner.mul(mean)).neg();
    return outputGradient
        .mul(channel(outer, pass))
        .add_(pass.input().mul(channel(inner, pass)))
        .add_(channel(constant, pass));
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    if (!isSplit(pass)) {
      return super.backwardData(pass, outputGradient);
    }
    Tensor totals = overRanks(backwardSums(pass, outputGradient));
    return List.of(backwardDataTogether(pass, outputGradient, totals));
  }

  @Override
  public List<Tensor> backward(
      Pass pass, Tensor outputGradient, GradientSink sink, Runnable weightsReady) {
    if (!isSplit(pass)) {
      return super.backward(pass, outputGradient, sink, weightsReady);
    }
    Tensor sums = backwardSums(pass, outputGradient);
    putWeights(sums, sink);
    weightsReady.run();
    return List.of(backwardDataTogether(pass, outputGradient, overRanks(sums)));
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
    if (isSplit(pass)) {
      putWeights(backwardSums(pass, outputGradient), sink);
    } else {
      super.backwardWeights(pass, outputGradient, sink);
    }
  }

  private boolean isSplit(Pass pass) {
    return ranks.isPresent() && !pass.saved().isEmpty();
  }

  @Override
  Three gradients(Pass pass, Tensor gradient, Mask wanted) {
    if (pass.number() >= FIRST_KERNEL) {
      return Functions.batchNormBackwardOnDevice(
          gradient,
          pass.input(),
          tensors.parameter(0),
          tensors.buffers().get(0),
          tensors.buffers().get(1),
          new Normalised(
              null, pass.saved(0), pass.saved(1), pass.saved(2), pass.number() - FIRST_KERNEL),
          true,
          spec.epsilon(),
          wanted);
    }
    boolean alone = pass.saved().size() == ALONE;
    List<Tensor> statistics = pass.saved().isEmpty() ? tensors.buffers() : pass.saved();
    Tensor mean = statistics.get(0);
    Tensor spread = statistics.get(1);
    return Functions.batchNormBackward(
        gradient,
        pass.input(),
        tensors.parameter(0),
        alone ? null : mean,
        alone ? null : spread,
        alone ? mean : notSaved(),
        alone ? spread : notSaved(),
        alone,
        spec.epsilon(),
        wanted);
  }

  /** What stands for statistics that are not saved: on GPUs the kernel asks for empty ones. */
  private Tensor notSaved() {
    return tensors.accelerated() ? Tensor.empty(ScalarType.FLOAT, 0) : null;
  }

  private static Tensor channel(Tensor values, Pass pass) {
    return Torch.perChannel(values, pass.input()).to(pass.input().type());
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
        .clampMin(0.0);
  }
}
