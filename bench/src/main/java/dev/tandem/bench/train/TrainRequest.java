package dev.tandem.bench.train;

import dev.tandem.core.WorkFailedException;

/** What a contender is asked to do, as the line that its ranks read. */
sealed interface TrainRequest {

  TrainNetwork network();

  /** The line that the ranks read. */
  String line();

  static TrainRequest of(String line) {
    String[] fields = line.split(" ", -1);
    TrainNetwork network = TrainNetwork.of(fields[1]);
    return switch (fields[0]) {
      case "check" -> new Check(network, Integer.parseInt(fields[2]));
      case "run" ->
          new Run(
              network,
              fields[2].equals("bf16"),
              Integer.parseInt(fields[3]),
              Integer.parseInt(fields[4]),
              Integer.parseInt(fields[5]));
      case "expose" ->
          new Expose(
              network,
              Integer.parseInt(fields[2]),
              Integer.parseInt(fields[3]),
              Integer.parseInt(fields[4]));
      default -> throw new WorkFailedException("asked for '%s'".formatted(line));
    };
  }

  /**
   * Begin with the common weights, make some steps, and print the parameters and losses.
   *
   * @param batch samples per rank and step, from now on
   */
  record Check(TrainNetwork network, int batch) implements TrainRequest {

    /** How many steps' losses are printed: the later ones check gradients and update too. */
    static final int STEPS = 3;

    @Override
    public String line() {
      return "check %s %d".formatted(network.code(), batch);
    }
  }

  /**
   * Train and print the seconds per step.
   *
   * @param mixed in bfloat16, else in float32
   * @param threads of each rank
   * @param warmUp steps that do not count
   */
  record Run(TrainNetwork network, boolean mixed, int threads, int warmUp, int steps)
      implements TrainRequest {

    @Override
    public String line() {
      return "run %s %s %d %d %d"
          .formatted(network.code(), mixed ? "bf16" : "float32", threads, warmUp, steps);
    }
  }

  /**
   * Make steps in pairs, with and without synchronisation, in float32 with 1 thread, and print by
   * how many seconds the one with it was longer, for each pair.
   *
   * @param batch samples of a rank in these steps: the first of its batch
   * @param warmUp steps that do not count
   */
  record Expose(TrainNetwork network, int batch, int warmUp, int pairs) implements TrainRequest {

    @Override
    public String line() {
      return "expose %s %d %d %d".formatted(network.code(), batch, warmUp, pairs);
    }
  }
}
