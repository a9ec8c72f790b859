package dev.tandem.train.config;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.format.ImageFolder;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.image.Image;
import dev.tandem.data.source.Sources;
import dev.tandem.nn.models.Models;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A configuration to begin with, for one data set: commented YAML that works as it is.
 *
 * @param classes that the labels of the data name
 */
public record StartConfig(
    String model, String train, String test, int classes, List<String> classNames) {

  /** Labels are looked for in so many records at most. */
  private static final long LOOKED_AT = 200_000;

  public StartConfig {
    classNames = List.copyOf(classNames);
  }

  /**
   * Looks at a data set.
   *
   * @param model by name; null for one that suits the images
   * @param names of the classes; may be empty
   */
  public static StartConfig of(Path train, Path test, String model, List<String> names) {
    List<String> known = names;
    if (known.isEmpty() && SourceFormat.of(train) == SourceFormat.IMAGES) {
      known = ImageFolder.list(train).labels();
    }
    try (RecordSource source = Sources.open(train, Split.TRAIN)) {
      if (source.size() == 0) {
        throw new WorkFailedException(train + " holds no records");
      }
      String chosen = model == null ? suiting(train, source) : model;
      int classes = known.isEmpty() ? classes(source) : known.size();
      return new StartConfig(
          chosen, train.toString(), test.toString(), classes, List.copyOf(known));
    }
  }

  private static String suiting(Path train, RecordSource source) {
    Image image = new DatumDecoder(false).decode(source.record(0)).image();
    String size = image.channels() + "x" + image.height() + "x" + image.width();
    return switch (size) {
      case "1x28x28" -> "lenet";
      case "3x32x32" -> "resnet18-small";
      default ->
          throw new UsageException(
              "images in %s are %s, for which there is no usual network: name one with --model (%s)"
                  .formatted(train, size, String.join(", ", Models.names())));
    };
  }

  private static int classes(RecordSource source) {
    int most = 0;
    for (long ordinal = 0; ordinal < Math.min(LOOKED_AT, source.size()); ordinal++) {
      most = Math.max(most, Datum.fields(source.record(ordinal).value()).label());
    }
    return most + 1;
  }

  /** The configuration with its comments. */
  public String text() {
    return """
    # A training run: ./tandem train THIS-FILE -n 2
    # Only network, data and schedule.rate are needed; everything else is at a sensible value or its
    # default. Any value can be changed for one run: --set epochs=20 --set batch.global=256

    network:
      # One of: %s.
      # Or file: net.yaml, a network in YAML (docs/networks.md), or in ONNX, with its weights
      # (docs/exchange.md), or its input and layers right here.
      model: %s
      classes: %d

    data:
      train: %s
      test: %s
      normalise: compute         # mean and deviation of the training images; none, or {mean: ..., deviation: ...}
      augment: ""                # such as random-crop=32x32+4,flip
      test-augment: ""           # such as resize=32x32
      threads: 1                 # that decode, in each process
    %s
    batch:
      global: 64                 # samples of one step, over all processes
      accumulation: 1            # passes for them: more need less memory

    optimizer:
      kind: sgd                  # or adam, adamw, rmsprop, adagrad, lars, lamb
      momentum: 0.9
      nesterov: true
      weight-decay: 5e-4

    schedule:
      kind: cosine               # or constant, steps
      rate: 0.03                 # the highest; with for-batch: N it is scaled to the batch
      warmup-epochs: 0.5

    epochs: 5
    precision: float32           # bfloat16 is faster on processors that have it
    determinism: run             # fast; run: same seed, processes and threads, same bits;
                                 # elastic: the same bits on any number of processes up to shards
    shards: 8
    synchronised-batch-norm: false
    seed: 1

    gradients:
      reduction: sum             # or adasum: what processes agree on counts once
      compression: none          # what travels between processes: bfloat16, float16, top-k, one-bit

    guard:
      clip: 1.0                  # the largest norm of gradients; 0 for no limit
      loss-spike: 10             # a loss so many times the usual one ends the run; 0 for no limit

    validation:
      every-epochs: 1
      patience: 0                # validations without a gain until the run ends; 0 for never

    checkpoint:
      every-steps: 1000          # --resume goes on from the last one; auto: by measured cost,
                                 # failure-hours (24) and budget-percent (1)
      best: true                 # also after the best validation
      keep: 3                    # the newest, besides the best and each of keep-every steps
      incremental: false         # write what has changed only
      compression: none          # or zstd
      partner: false             # hold each process's part in another's memory: --max-restarts
      # local: {folder: /dev/shm/tandem, every: 1, keep: 1}   a fast level before the run's folder,
      # which then may get fewer, such as every: 10
    """
        .formatted(
            wrapped(String.join(", ", Models.names())),
            model,
            classes,
            quoted(train),
            quoted(test),
            classNames.isEmpty() ? "" : "  class-names: [" + quotedNames() + "]\n");
  }

  /** Long lists go on in the next line of the comment. */
  private static String wrapped(String names) {
    return names.replaceAll("(.{60,80}, )", "$1\n  #   ").replaceAll(" \n", "\n");
  }

  private String quotedNames() {
    return classNames.stream().map(StartConfig::quoted).collect(Collectors.joining(", "));
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
