package dev.tandem.nn.models;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.Shape;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.yaml.Default;
import dev.tandem.nn.yaml.KeyException;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.nn.yaml.Spelling;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;

/** The networks that have a name in configurations. */
public final class Models {

  private static final RecordYaml YAML =
      new RecordYaml(Map.of("num-classes", "classes", "outputs", "classes"));

  private static final Map<String, Model<?>> KNOWN = known();

  /** The arguments of a network, and the network that they make. */
  private record Model<A extends Record>(Class<A> arguments, Function<A, NetworkSpec> network) {

    NetworkSpec make(String name, JsonNode tree) {
      try {
        return network.apply(YAML.read(tree, arguments));
      } catch (KeyException e) {
        throw e.within("", "model " + name);
      }
    }
  }

  private record Nothing() {}

  private record Classes(@Default("10") int classes) {}

  private record WithHelpers(@Default("10") int classes, @Default("false") boolean helperOutputs) {}

  private record AnySize(@Default("[3, 64, 64]") List<Long> image, @Default("10") int classes) {

    NetworkSpec smallCnn() {
      return SmallCnn.spec(Shape.of(image.stream().mapToLong(Long::longValue).toArray()), classes);
    }
  }

  private record Rows(
      int inputs, @Default("[64, 32]") List<Integer> hidden, @Default("1") int outputs) {

    NetworkSpec mlp() {
      return Perceptron.spec(inputs, hidden, outputs);
    }
  }

  private record Cube(@Default("128") int extent, @Default("16") int filters) {}

  private record Transformer(
      @Default("[3, 32, 32]") List<Long> image,
      @Default("4") int patch,
      @Default("128") int features,
      @Default("4") int heads,
      @Default("4") int blocks,
      @Default("10") int classes) {

    NetworkSpec spec() {
      return TransformerEncoder.spec(
          Shape.of(image.stream().mapToLong(Long::longValue).toArray()),
          patch,
          features,
          heads,
          blocks,
          classes);
    }
  }

  private Models() {}

  /**
   * The network of this name.
   *
   * @param arguments a mapping of {@code classes} and what else it takes
   */
  public static NetworkSpec named(String name, JsonNode arguments) {
    Model<?> model = KNOWN.get(name);
    if (model == null) {
      throw new KeyException(
          "model",
          "unknown model '%s'; known: %s%s"
              .formatted(
                  name, String.join(", ", names()), Spelling.question(name, KNOWN.keySet())));
    }
    return model.make(name, arguments);
  }

  /** All names, in alphabetical order. */
  public static Iterable<String> names() {
    return KNOWN.keySet();
  }

  private static Map<String, Model<?>> known() {
    Map<String, Model<?>> models = new TreeMap<>();
    models.put("digits", new Model<>(Nothing.class, keys -> DigitsNetwork.spec()));
    models.put("lenet", classes(LeNet::spec));
    models.put("caffe-cifar", classes(CaffeCifar::spec));
    models.put("alexnet", classes(AlexNet::spec));
    models.put("alexnet-one-tower", classes(AlexNet::oneTower));
    models.put("caffenet", classes(AlexNet::caffeNet));
    models.put("vgg-a", classes(Vgg::a));
    models.put("vgg16", classes(Vgg::sixteen));
    for (int layers : new int[] {18, 34, 50, 101, 152}) {
      models.put("resnet" + layers, classes(classes -> ResNet.spec(layers, classes)));
      models.put("resnet" + layers + "-small", classes(classes -> ResNet.small(layers, classes)));
    }
    models.put("googlenet", helpers(GoogLeNet::spec));
    models.put("inception-v3", helpers(InceptionV3::spec));
    models.put("mlp", new Model<>(Rows.class, Rows::mlp));
    models.put(
        "cosmoflow",
        new Model<>(Cube.class, keys -> CosmoFlow.spec(keys.extent(), keys.filters())));
    models.put("small-cnn", new Model<>(AnySize.class, AnySize::smallCnn));
    models.put("transformer", new Model<>(Transformer.class, Transformer::spec));
    return models;
  }

  private static Model<Classes> classes(IntFunction<NetworkSpec> network) {
    return new Model<>(Classes.class, keys -> network.apply(keys.classes()));
  }

  private static Model<WithHelpers> helpers(BiFunction<Integer, Boolean, NetworkSpec> network) {
    return new Model<>(
        WithHelpers.class, keys -> network.apply(keys.classes(), keys.helperOutputs()));
  }
}
