package dev.tandem.bench.checkpoint;

import dev.tandem.bench.Contender;
import dev.tandem.bench.checkpoint.CheckpointBenchmark.Model;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** One rank of {@code tandem bench checkpoint} that trains at several levels of determinism. */
public final class DeterminismRankMain {

  private DeterminismRankMain() {}

  /**
   * Does what each line, as {@link Order} writes it, asks for; rank 0 prints the result.
   *
   * @param arguments the pipe's name less the rank, the network, a folder, the samples of a rank
   *     per step
   */
  public static void main(String[] arguments) throws IOException {
    Reduction.prepare();
    Map<Determinism, DeterminismTraining> trainings = new EnumMap<>(Determinism.class);
    try (Communicator ranks = Communicator.join();
        BufferedReader pipe = Files.newBufferedReader(Path.of(arguments[0] + ranks.rank()))) {
      Model model = Model.valueOf(arguments[1]);
      Path folder = Path.of(arguments[2]);
      int batch = Integer.parseInt(arguments[3]);
      print(ranks, Contender.READY);
      for (String line = pipe.readLine(); line != null; line = pipe.readLine()) {
        Order order = Order.of(line);
        DeterminismTraining training =
            trainings.computeIfAbsent(
                order.level(),
                level -> new DeterminismTraining(ranks, model, level, folder, batch));
        print(
            ranks,
            switch (order) {
              case Order.Turn turn -> slowest(ranks, training.turn(turn.saves(), turn.steps()));
              case Order.Compare compare -> training.sameBits(compare.steps()) ? "yes" : "no";
            });
      }
      trainings.values().forEach(DeterminismTraining::close);
    }
  }

  /** What the ranks are asked for. */
  sealed interface Order {

    Determinism level();

    /** Training steps, after a save in the background or none. */
    record Turn(Determinism level, boolean saves, int steps) implements Order {

      @Override
      public String toString() {
        return "turn %s %s %d".formatted(level, saves, steps);
      }
    }

    /** The same training three times: without saves, with them, and from one of them. */
    record Compare(Determinism level, int steps) implements Order {

      @Override
      public String toString() {
        return "compare %s %d".formatted(level, steps);
      }
    }

    static Order of(String line) {
      String[] words = line.split(" ", -1);
      Determinism level = Determinism.valueOf(words[1]);
      return words[0].equals("turn")
          ? new Turn(level, Boolean.parseBoolean(words[2]), Integer.parseInt(words[3]))
          : new Compare(level, Integer.parseInt(words[2]));
    }
  }

  private static String slowest(Communicator ranks, double[] seconds) {
    ranks.allreduce(MemorySegment.ofArray(seconds), DType.FLOAT64, ReduceOp.MAX);
    return Arrays.stream(seconds).mapToObj(Double::toString).collect(Collectors.joining(" "));
  }

  private static void print(Communicator ranks, String line) {
    if (ranks.rank() == 0) {
      System.out.println(line);
    }
  }
}
