package dev.tandem.nn.models;

import dev.tandem.nn.spec.NetworkSpec;
import java.util.LinkedHashMap;
import java.util.Map;

/** All networks of this package by name, for tests that hold for every one of them. */
public final class PublishedModels {

  private PublishedModels() {}

  /** Those that answer a sample in milliseconds. */
  public static Map<String, NetworkSpec> small() {
    Map<String, NetworkSpec> models = new LinkedHashMap<>();
    models.put("digits", DigitsNetwork.spec());
    models.put("LeNet", LeNet.spec(10));
    models.put("CaffeCifar", CaffeCifar.spec(10));
    models.put("ResNet-18 small", ResNet.small(18, 10));
    models.put("Transformer", TransformerEncoder.small(10));
    return models;
  }

  /** The others. */
  public static Map<String, NetworkSpec> large() {
    Map<String, NetworkSpec> models = new LinkedHashMap<>();
    models.put("AlexNet", AlexNet.spec(1000));
    models.put("CaffeNet", AlexNet.caffeNet(1000));
    models.put("AlexNet one tower", AlexNet.oneTower(1000));
    models.put("VGG-A", Vgg.a(1000));
    models.put("VGG16", Vgg.sixteen(1000));
    for (int layers : new int[] {18, 34, 50, 101, 152}) {
      models.put("ResNet-" + layers, ResNet.spec(layers, 1000));
    }
    models.put("GoogLeNet", GoogLeNet.spec(1000, false));
    models.put("GoogLeNet with helpers", GoogLeNet.spec(1000, true));
    models.put("Inception-v3", InceptionV3.spec(1000, false));
    models.put("Inception-v3 with helper", InceptionV3.spec(1000, true));
    models.put("CosmoFlow", CosmoFlow.spec(128));
    return models;
  }

  public static Map<String, NetworkSpec> all() {
    Map<String, NetworkSpec> models = small();
    models.putAll(large());
    return models;
  }
}
