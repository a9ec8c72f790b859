package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.spec.SelfAttention;
import java.util.ArrayList;
import java.util.List;

/**
 * Multi-head self-attention. N samples of T tokens of E features; H heads of D features, W = H D.
 *
 * <p>Saves queries, keys and values (N H T D each), the shares that each token gives to each (N H T
 * T), the heads' answers side by side (N T W), and, if they stay, the weights that it computed
 * with.
 */
final class SelfAttentionLayer implements Layer {

  private static final int QUERIES = 0;
  private static final int KEYS = 1;
  private static final int VALUES = 2;
  private static final int SHARES = 3;
  private static final int ANSWERS = 4;
  private static final int IN_WEIGHT = 5;
  private static final int OUT_WEIGHT = 6;

  private final int heads;
  private final boolean bias;
  private final LayerTensors tensors;

  SelfAttentionLayer(SelfAttention spec, LayerTensors tensors) {
    heads = spec.heads();
    bias = spec.outputBias();
    this.tensors = tensors;
  }

  @Override
  public Pass forward(List<Tensor> inputs, Mode mode) {
    Tensor input = inputs.getFirst();
    Tensor inWeight = tensors.computing(0);
    Tensor outWeight = tensors.computing(2);
    Tensor projected = Functions.linear(input, inWeight, tensors.computingOptional(1)); // N T 3W
    Tensor queries = head(projected, 0);
    Tensor keys = head(projected, 1);
    Tensor values = head(projected, 2);
    Tensor scores = queries.matmul(keys.transpose(2, 3)).mul(scale(queries));
    Tensor shares = Functions.softmax(scores, 3);
    Tensor answers = sideBySide(shares.matmul(values));
    Tensor output = Functions.linear(answers, outWeight, tensors.computingOptional(3));
    List<Tensor> saved = new ArrayList<>(List.of(queries, keys, values, shares, answers));
    saved.addAll(List.of(tensors.saved(inWeight, outWeight)));
    return new Pass(List.of(input), output, saved);
  }

  @Override
  public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
    return List.of(byProjection(pass, outputGradient).matmul(weight(pass, IN_WEIGHT, 0)));
  }

  @Override
  public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
    putWeights(pass, outputGradient, byProjection(pass, outputGradient), sink);
  }

  @Override
  public boolean passesApart() {
    return false;
  }

  @Override
  public List<Tensor> backward(
      Pass pass, Tensor outputGradient, GradientSink sink, Runnable weightsReady) {
    Tensor byProjection = byProjection(pass, outputGradient);
    putWeights(pass, outputGradient, byProjection, sink);
    weightsReady.run();
    return List.of(byProjection.matmul(weight(pass, IN_WEIGHT, 0)));
  }

  private void putWeights(
      Pass pass, Tensor outputGradient, Tensor byProjection, GradientSink sink) {
    Tensor projectionRows = FullyConnectedLayer.rows(byProjection);
    Tensor outputRows = FullyConnectedLayer.rows(outputGradient);
    sink.putProduct(0, projectionRows.t(), FullyConnectedLayer.rows(pass.input()));
    sink.put(1, projectionRows.sum(0));
    sink.putProduct(2, outputRows.t(), FullyConnectedLayer.rows(pass.saved(ANSWERS)));
    if (bias) {
      sink.put(3, outputRows.sum(0));
    }
  }

  /** The gradient by queries, keys and values together: N T 3W. */
  private Tensor byProjection(Pass pass, Tensor outputGradient) {
    Tensor queries = pass.saved(QUERIES);
    Tensor keys = pass.saved(KEYS);
    Tensor shares = pass.saved(SHARES);
    Tensor byAnswers = head(outputGradient.matmul(weight(pass, OUT_WEIGHT, 2)), 0); // N H T D
    Tensor byValues = shares.transpose(2, 3).matmul(byAnswers);
    Tensor byShares = byAnswers.matmul(pass.saved(VALUES).transpose(2, 3)); // N H T T
    Tensor sums = byShares.mul(shares).sum(3).unsqueeze(3);
    // The mean taken off first, as the engine does: less is lost to cancellation.
    Tensor byScores = byShares.sub(sums).mul(shares).mul(scale(queries));
    Tensor byQueries = byScores.matmul(keys);
    Tensor byKeys = byScores.transpose(2, 3).matmul(queries);
    return Functions.concatenate(
        2, sideBySide(byQueries), sideBySide(byKeys), sideBySide(byValues));
  }

  /** One of the blocks of W features, head by head: N H T D. */
  private Tensor head(Tensor blocks, int block) {
    long batch = blocks.size(0);
    long tokens = blocks.size(1);
    long width = tensors.parameter(2).size(1);
    return blocks
        .narrow(2, block * width, width)
        .reshape(batch, tokens, heads, width / heads)
        .transpose(1, 2)
        .contiguous();
  }

  private Tensor weight(Pass pass, int place, int parameter) {
    return place < pass.saved().size() ? pass.saved(place) : tensors.computing(parameter);
  }

  private static Tensor sideBySide(Tensor heads) {
    return heads.transpose(1, 2).flatten(2, 3);
  }

  private static double scale(Tensor queries) {
    return 1 / Math.sqrt((double) queries.size(3));
  }
}
