package dev.tandem.nn.internal;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.AveragePool;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Concatenation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Dropout;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.GroupNorm;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.Positions;
import dev.tandem.nn.spec.SelfAttention;
import dev.tandem.nn.spec.TokenMean;
import dev.tandem.nn.spec.Tokens;
import java.util.List;

/** From what a layer is to what computes it. */
public final class Layers {

  private Layers() {}

  /** The layer in the engine, which borrows its tensors. */
  public static Layer of(LayerSpec layer, List<Shape> inputs, LayerTensors tensors) {
    Shape input = inputs.isEmpty() ? null : inputs.getFirst(); // a receive has none
    return switch (layer) {
      case Activation spec -> new ActivationLayer(spec);
      case Add _ -> new ShapeLayers.Add();
      case AveragePool spec -> new AveragePoolLayer(spec, input, tensors.accelerated());
      case BatchNorm spec -> new BatchNormLayer(spec, tensors);
      case Concatenation _ -> new ShapeLayers.Concatenation();
      case Convolution spec -> new ConvolutionLayer(spec, input, tensors);
      case Dropout spec -> new DropoutLayer(spec, input);
      case Exchange spec -> new ExchangeLayer(spec, input, tensors);
      case Flatten _ -> new ShapeLayers.Flatten();
      case FullyConnected _ -> new FullyConnectedLayer(tensors);
      case GlobalPool spec -> new GlobalPoolLayer(spec);
      case GroupNorm spec when spec.ranks().isPresent() ->
          new SplitGroupNormLayer(spec, spec.ranks().get(), tensors);
      case GroupNorm spec -> new NormLayers.Group(spec, tensors);
      case LayerNorm spec -> new NormLayers.Features(spec, tensors);
      case LocalResponseNorm spec -> new LocalResponseNormLayer(spec);
      case MaxPool spec -> new MaxPoolLayer(spec, input);
      case Positions _ -> new ShapeLayers.Positions(tensors);
      case SelfAttention spec -> new SelfAttentionLayer(spec, tensors);
      case TokenMean _ -> new ShapeLayers.TokenMean();
      case Tokens _ -> new ShapeLayers.Tokens();
    };
  }
}
