package dev.tandem.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.UsageException;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.nn.weights.PixelNormalisation;
import dev.tandem.train.config.DataConfig;
import dev.tandem.train.config.RecordKind;
import dev.tandem.train.config.TrainingConfig;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What programs that use an exported network need to know of its run: names of classes, and what
 * becomes of samples before they go into it. Lists are JSON.
 */
public final class ExportMetadata {

  private static final ObjectMapper JSON = new ObjectMapper();

  private ExportMetadata() {}

  /**
   * By key: {@code classes}; {@code mean} and {@code deviation} of each channel or value; {@code
   * input}, the formula; {@code input-size}; and for images {@code channel-order} and {@code
   * preparation}, the augmentations that test images have had.
   *
   * @param inGraph whether the graph normalises pixels itself
   */
  public static Map<String, String> of(TrainingConfig config, boolean inGraph) {
    DataConfig data = config.data();
    List<Long> input = config.network().input().extents();
    boolean images = data.records() == RecordKind.IMAGES;
    Map<String, String> metadata = new LinkedHashMap<>();
    if (!data.classNames().isEmpty()) {
      metadata.put("classes", json(data.classNames()));
    }
    metadata.put("input-size", String.join("x", input.stream().map(String::valueOf).toList()));
    int channels = Math.toIntExact(input.getFirst());
    Normalisation normalisation = data.normalisation();
    metadata.put("mean", json(each(normalisation.means(), images ? channels : 1)));
    metadata.put("deviation", json(each(normalisation.deviations(), images ? channels : 1)));
    if (images) {
      metadata.put(
          "input",
          inGraph ? "pixels, 0 to 255" : "(pixel / 255 - mean) / deviation, pixels 0 to 255");
      metadata.put("channel-order", channels == 1 ? "grey" : "BGR");
      metadata.put("preparation", data.testAugment());
    } else {
      metadata.put("input", "(value - mean) / deviation");
      data.columns().ifPresent(columns -> metadata.put("columns", columns.json()));
    }
    if (config.regression()) {
      Normalisation targets = data.targetNormalisation();
      metadata.put("output", "(target - target-mean) / target-deviation");
      metadata.put("target-mean", json(targets.means()));
      metadata.put("target-deviation", json(targets.deviations()));
    }
    return metadata;
  }

  /** What a graph is to do to pixels itself; refused for data that are no images. */
  public static PixelNormalisation pixels(TrainingConfig config) {
    if (config.data().records() != RecordKind.IMAGES) {
      throw new UsageException("--with-preprocessing is for networks that take images");
    }
    int channels = Math.toIntExact(config.network().input().extents().getFirst());
    Normalisation normalisation = config.data().normalisation();
    return new PixelNormalisation(
        each(normalisation.means(), channels), each(normalisation.deviations(), channels));
  }

  /** One number for all channels stands for each. */
  private static List<Double> each(List<Double> numbers, int channels) {
    return numbers.size() == 1 ? Collections.nCopies(channels, numbers.getFirst()) : numbers;
  }

  private static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
