package dev.tandem.nn.models;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Fields;
import dev.tandem.nn.spec.NetworkSpec;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The networks that have a name in configurations. */
public final class Models {

  private static final Map<String, Function<Fields, NetworkSpec>> KNOWN = known();

  private Models() {}

  /**
   * The network of this name.
   *
   * @param keys its arguments: {@code classes} and what else it takes; what it does not take stays
   *     unread
   */
  public static NetworkSpec named(String name, Fields keys) {
    Function<Fields, NetworkSpec> model = KNOWN.get(name);
    if (model == null) {
      throw new UsageException(
          "unknown model '%s'; known: %s".formatted(name, String.join(", ", names())));
    }
    return model.apply(keys);
  }

  /** All names, in alphabetical order. */
  public static Iterable<String> names() {
    return KNOWN.keySet();
  }

  private static Map<String, Function<Fields, NetworkSpec>> known() {
    Map<String, Function<Fields, NetworkSpec>> models = new TreeMap<>();
    models.put("digits", keys -> DigitsNetwork.spec());
    models.put("lenet", keys -> LeNet.spec(classes(keys)));
    models.put("caffe-cifar", keys -> CaffeCifar.spec(classes(keys)));
    models.put("alexnet", keys -> AlexNet.spec(classes(keys)));
    models.put("alexnet-one-tower", keys -> AlexNet.oneTower(classes(keys)));
    models.put("caffenet", keys -> AlexNet.caffeNet(classes(keys)));
    models.put("vgg-a", keys -> Vgg.a(classes(keys)));
    models.put("vgg16", keys -> Vgg.sixteen(classes(keys)));
    for (int layers : new int[] {18, 34, 50, 101, 152}) {
      models.put("resnet" + layers, keys -> ResNet.spec(layers, classes(keys)));
      models.put("resnet" + layers + "-small", keys -> ResNet.small(layers, classes(keys)));
    }
    models.put(
        "googlenet", keys -> GoogLeNet.spec(classes(keys), keys.flag("helper-outputs", false)));
    models.put(
        "inception-v3",
        keys -> InceptionV3.spec(classes(keys), keys.flag("helper-outputs", false)));
    models.put("transformer", Models::transformer);
    return models;
  }

  private static NetworkSpec transformer(Fields keys) {
    long[] image = keys.has("image") ? keys.longs("image") : new long[] {3, 32, 32};
    return TransformerEncoder.spec(
        Shape.of(image),
        keys.integer("patch", 4),
        keys.integer("features", 128),
        keys.integer("heads", 4),
        keys.integer("blocks", 4),
        classes(keys));
  }

  private static int classes(Fields keys) {
    return keys.integer("classes", 10);
  }
}
