package dev.tandem.nn.internal;

import dev.tandem.nn.engine.Functions;
import dev.tandem.nn.engine.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The layers that join, reorder or average, and have no numbers of their own. */
final class ShapeLayers {

  private ShapeLayers() {}

  /** The sum, from the first input to the last. */
  static final class Add implements Layer {

    @Override
    public Pass forward(List<Tensor> inputs, Mode mode) {
      Tensor sum = inputs.get(0).add(inputs.get(1));
      for (Tensor input : inputs.subList(2, inputs.size())) {
        sum = sum.add(input);
      }
      return new Pass(inputs, sum, List.of());
    }

    @Override
    public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
      return pass.inputs().stream().map(input -> outputGradient).toList();
    }
  }

  /** The channels of all inputs. */
  static final class Concatenation implements Layer {

    @Override
    public Pass forward(List<Tensor> inputs, Mode mode) {
      Tensor output = Functions.concatenate(1, inputs.toArray(Tensor[]::new));
      return new Pass(inputs, output, List.of());
    }

    @Override
    public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
      List<Tensor> gradients = new ArrayList<>();
      long first = 0;
      for (Tensor input : pass.inputs()) {
        gradients.add(Torch.fast(outputGradient.narrow(1, first, input.size(1))));
        first += input.size(1);
      }
      return gradients;
    }
  }

  /** All elements in a row, in the order channel, line, column whatever the order in memory. */
  static final class Flatten implements Layer {

    @Override
    public Pass forward(List<Tensor> inputs, Mode mode) {
      Tensor input = inputs.getFirst();
      return new Pass(input, input.flatten(1, -1));
    }

    @Override
    public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
      return List.of(Torch.fast(outputGradient.reshape(pass.input().sizes())));
    }
  }

  /** Each place of an image a token. */
  static final class Tokens implements Layer {

    @Override
    public Pass forward(List<Tensor> inputs, Mode mode) {
      Tensor input = inputs.getFirst();
      return new Pass(input, input.flatten(2, -1).transpose(1, 2).contiguous());
    }

    @Override
    public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
      return List.of(Torch.fast(outputGradient.transpose(1, 2).reshape(pass.input().sizes())));
    }
  }

  /** The mean of all tokens. */
  static final class TokenMean implements Layer {

    @Override
    public Pass forward(List<Tensor> inputs, Mode mode) {
      Tensor input = inputs.getFirst();
      return new Pass(input, input.mean(1));
    }

    @Override
    public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
      Tensor input = pass.input();
      Tensor share = outputGradient.div((double) input.size(1));
      return List.of(share.unsqueeze(1).expand(input.sizes()).contiguous());
    }
  }

  /** A learnt vector for each place of a sequence. */
  static final class Positions implements Layer {

    private final LayerTensors tensors;

    Positions(LayerTensors tensors) {
      this.tensors = tensors;
    }

    @Override
    public Pass forward(List<Tensor> inputs, Mode mode) {
      Tensor input = inputs.getFirst();
      return new Pass(input, input.add(tensors.computing(0)));
    }

    @Override
    public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
      return List.of(outputGradient);
    }

    @Override
    public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
      sink.put(0, outputGradient.sum(0));
    }
  }
}
