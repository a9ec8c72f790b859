package dev.tandem.nn.internal;

import dev.tandem.core.DType;
import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Functions.Two;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.Transfer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Group normalisation of a part of space: each pass is cut in two where the ranks that have the
 * other parts meet, as in {@link BatchNormLayer}. N samples; G groups of K channels.
 *
 * <p>Saves mean and inverse deviation of each sample and group (N G 1), and the number of elements
 * of a group, all in float64.
 */
final class SplitGroupNormLayer implements Layer {

  private static final int MEAN = 0;
  private static final int INVERSE = 1;
  private static final int COUNT = 2;

  private final GroupNorm spec;
  private final Transfer ranks;
  private final LayerTensors tensors;

  SplitGroupNormLayer(GroupNorm spec, Transfer ranks, LayerTensors tensors) {
    this.spec = spec;
    this.ranks = tensors.transferTime().measured(ranks);
    this.tensors = tensors;
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    double places = (double) Functions.places(input);
    Two result = Functions.varianceAndMean(Torch.exact(input), space(input));
    Tensor own = result.second().to(ScalarType.DOUBLE); // N C
    Tensor ownSquares = result.first().to(ScalarType.DOUBLE).add(own.mul(own));
    Tensor sums = byGroup(own.mul(places)).sum(2);
    Tensor squares = byGroup(ownSquares.mul(places)).sum(2);
    double elements = places * input.size(1) / spec.groups();
    Tensor row =
        overRanks(
            Tensor.zeros(ScalarType.DOUBLE, 1).fullLike(elements),
            sums.reshape(-1),
            squares.reshape(-1));
    Tensor count = row.narrow(0, 0, 1);
    Tensor mean = half(row, 1, input).div(count);
    Tensor variance =
        half(row, 1 + sums.numel(), input).div(count).sub(mean.mul(mean)).clampMin(0.0);
    Tensor inverse = variance.add(spec.epsilon()).rsqrt();
    Tensor scale = parameter(0).mul(inverse); // N G K
    Tensor shift = parameter(1).sub(mean.mul(scale));
    Tensor output = input.mul(spread(scale, input)).add_(spread(shift, input)).to(input.type());
    return new Pass(input, output, mean, inverse, count);
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    return List.of(data(pass, outputGradient, sums(pass, outputGradient)));
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
    putWeights(sums(pass, outputGradient), sink);
  }

  @Override
  public boolean passesApart() {
    return false;
  }

  @Override
  public List<Tensor> backward(
      Pass pass, Tensor outputGradient, GradientSink sink, Runnable weightsReady) {
    Sums sums = sums(pass, outputGradient);
    putWeights(sums, sink);
    weightsReady.run();
    return List.of(data(pass, outputGradient, sums));
  }

  /** The gradients by weight and bias of each sample, of what is here: N G K each. */
  private record Sums(Tensor byWeight, Tensor byBias) {}

  private Sums sums(Pass pass, Tensor outputGradient) {
    Tensor gradient = Torch.exact(outputGradient);
    Tensor input = Torch.exact(pass.input());
    Tensor byBias = byGroup(gradient.sum(space(input)).to(ScalarType.DOUBLE));
    Tensor byInput = byGroup(gradient.mul(input).sum(space(input)).to(ScalarType.DOUBLE));
    Tensor byWeight = byInput.sub(pass.saved(MEAN).mul(byBias)).mul(pass.saved(INVERSE));
    return new Sums(byWeight, byBias);
  }

  private static void putWeights(Sums sums, GradientSink sink) {
    sink.put(0, sums.byWeight.sum(0).reshape(-1));
    sink.put(1, sums.byBias.sum(0).reshape(-1));
  }

  /** dx = r (w dy - a / n - h b / n): a, b are the sums of w dy and of w dy h over the group. */
  private Tensor data(Pass pass, Tensor outputGradient, Sums sums) {
    Tensor weight = parameter(0);
    Tensor row =
        overRanks(
            weight.mul(sums.byBias).sum(2).reshape(-1),
            weight.mul(sums.byWeight).sum(2).reshape(-1));
    Tensor input = pass.input();
    Tensor mean = pass.saved(MEAN);
    Tensor inverse = pass.saved(INVERSE);
    Tensor byBias = half(row, 0, input).div(pass.saved(COUNT));
    Tensor byWeight = half(row, row.numel() / 2, input).div(pass.saved(COUNT));
    // dx = outer dy + inner x + constant, each one number for a sample and channel.
    Tensor outer = weight.mul(inverse);
    Tensor inner = inverse.mul(inverse).mul(byWeight).neg();
    Tensor constant = inverse.mul(byBias).add(inner.mul(mean)).neg();
    Tensor ones = outer.fullLike(1);
    return outputGradient
        .mul(spread(outer, input))
        .add_(input.mul(spread(inner.mul(ones), input)))
        .add_(spread(constant.mul(ones), input))
        .to(outputGradient.type());
  }

  private Tensor overRanks(Tensor... rows) {
    Tensor row = Functions.concatenate(0, rows);
    Torch.throughHost(row, memory -> ranks.allreduce(memory, DType.FLOAT64));
    return row;
  }

  private Tensor half(Tensor row, long from, Tensor input) {
    long samples = input.size(0);
    return row.narrow(0, from, samples * spec.groups()).reshape(samples, spec.groups(), 1);
  }

  private Tensor byGroup(Tensor byChannel) {
    long[] extents = {byChannel.size(0), spec.groups(), byChannel.size(1) / spec.groups()};
    return byChannel.reshape(extents);
  }

  private Tensor parameter(int index) {
    return tensors.parameter(index).to(ScalarType.DOUBLE).reshape(1, spec.groups(), -1);
  }

  /** One number for each sample and channel, shaped so that it meets the input. */
  private static Tensor spread(Tensor values, Tensor input) {
    long[] extents = new long[input.dim()];
    Arrays.fill(extents, 1);
    extents[0] = input.size(0);
    extents[1] = input.size(1);
    ScalarType exact = input.type() == ScalarType.DOUBLE ? ScalarType.DOUBLE : ScalarType.FLOAT;
    return values.reshape(extents).to(exact);
  }

  private static long[] space(Tensor input) {
    return LongStream.range(2, input.dim()).toArray();
  }
}
