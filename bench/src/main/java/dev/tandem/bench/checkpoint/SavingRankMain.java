package dev.tandem.bench.checkpoint;

import dev.tandem.bench.Contender;
import dev.tandem.bench.checkpoint.CheckpointBenchmark.Model;
import dev.tandem.bench.checkpoint.RankSaving.Mode;
import dev.tandem.checkpoint.CheckpointOptions;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** One rank of {@code tandem bench checkpoint} that saves and restores the state of a network. */
public final class SavingRankMain {

  /** A line of this, a mode and a folder asks for a save. */
  static final String SAVE = "save";

  /** A line of this and a mode asks for the last save of the mode to be restored. */
  static final String RESTORE = "restore";

  private SavingRankMain() {}

  /**
   * Does what each line asks for; rank 0 prints the seconds of the slowest rank.
   *
   * @param arguments the pipe's name less the rank, the network
   */
  public static void main(String[] arguments) throws IOException {
    Model model = Model.valueOf(arguments[1]);
    Map<Mode, RankSaving> savings = new EnumMap<>(Mode.class);
    try (Communicator ranks = Communicator.join();
        Arena arena = Arena.ofShared();
        BufferedReader pipe = Files.newBufferedReader(Path.of(arguments[0] + ranks.rank()))) {
      ModelState state = ModelState.of(model.code(), model.spec(), arena);
      ModelState target = ModelState.of(model.code(), model.spec(), arena);
      ranks.barrier();
      print(ranks, Contender.READY);
      for (String line = pipe.readLine(); line != null; line = pipe.readLine()) {
        String[] words = line.split(" ", 3);
        RankSaving saving =
            savings.computeIfAbsent(
                Mode.valueOf(words[1]),
                mode -> new RankSaving(state, mode, CheckpointOptions.DEFAULT, ranks));
        if (words[0].equals(SAVE)) {
          Saving.Times times = saving.save(Path.of(words[2]));
          slowest(ranks, times.stallSeconds(), times.writeSeconds(), times.totalSeconds());
        } else {
          slowest(ranks, saving.restore(target));
        }
      }
      savings.values().forEach(RankSaving::close);
    }
  }

  private static void slowest(Communicator ranks, double... seconds) {
    ranks.allreduce(MemorySegment.ofArray(seconds), DType.FLOAT64, ReduceOp.MAX);
    print(
        ranks, Arrays.stream(seconds).mapToObj(Double::toString).collect(Collectors.joining(" ")));
  }

  private static void print(Communicator ranks, String line) {
    if (ranks.rank() == 0) {
      System.out.println(line);
    }
  }
}
