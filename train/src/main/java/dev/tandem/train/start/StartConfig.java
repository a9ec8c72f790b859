package dev.tandem.train.start;

import dev.tandem.nn.models.Models;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A configuration to begin with, for one data set: commented YAML that works as it is.
 *
 * @param model what the network is called in results
 * @param network the lines of section {@code network}
 * @param train where the training data is; the value of {@code data.train}
 * @param test likewise of {@code data.test}; where both are the same, {@code data.path} names them
 * @param data further lines of section {@code data}
 * @param classNames by label; may be empty
 * @param rate the highest learning rate
 * @param batch samples of one step, over all processes
 * @param epochs passes over the training data
 * @param found lines that tell the user what was found and chosen
 */
public record StartConfig(
    String model,
    List<String> network,
    String train,
    String test,
    List<String> data,
    List<String> classNames,
    double rate,
    int batch,
    long epochs,
    List<String> found) {

  public StartConfig {
    network = List.copyOf(network);
    data = List.copyOf(data);
    classNames = List.copyOf(classNames);
    found = List.copyOf(found);
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
    %s

    data:
    %s
    %s
      threads: 1                 # that decode, in each process
    %s
    batch:
      global: %-18d # samples of one step, over all processes
      accumulation: 1            # passes for them: more need less memory

    optimizer:
      kind: sgd                  # or adam, adamw, rmsprop, adagrad, lars, lamb
      momentum: 0.9
      nesterov: true
      weight-decay: 5e-4

    schedule:
      kind: cosine               # or constant, steps
      rate: %-20s # the highest; with for-batch: N it is scaled to the batch
      warmup-epochs: 0.5

    epochs: %d
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
      loss-spike: 10             # a loss 10 times the usual one ends the run; 0 for no limit

    validation:
      every-epochs: 1
      patience: 0                # validations without a gain until the run ends; 0 for never

    checkpoint:
      every-steps: auto          # by measured cost, failure-hours (24) and budget-percent (1), or a
                                 # number; --resume goes on from the last one
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
            indented(network),
            places(),
            indented(data),
            classNames.isEmpty() ? "" : "  class-names: [" + quotedNames() + "]\n",
            batch,
            rate,
            epochs);
  }

  private String places() {
    return train.equals(test)
        ? "  path: " + quoted(train)
        : "  train: " + quoted(train) + "\n  test: " + quoted(test);
  }

  private static String indented(List<String> lines) {
    return lines.stream().map(line -> "  " + line).collect(Collectors.joining("\n"));
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
