package dev.tandem.bench.checkpoint;

import dev.tandem.bench.Bootstrap;
import dev.tandem.bench.LiveContender;
import dev.tandem.bench.Spread;
import dev.tandem.bench.checkpoint.CheckpointBenchmark.Model;
import dev.tandem.bench.checkpoint.CheckpointRow.Study;
import dev.tandem.bench.checkpoint.DeterminismRankMain.Order;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.core.Progress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What determinism and checkpoints cost together, and whether both keep what they promise: two
 * processes train with sums in any order and in a fixed one, each without checkpoints and with one
 * in the background every ten steps. A round has a turn of ten steps of each; overheads are of the
 * fast turn without checkpoints in the same round.
 */
final class DeterminismStudy {

  private static final int RANKS = 2;
  private static final int COMPARED_STEPS = 4;
  private static final List<Determinism> LEVELS = List.of(Determinism.FAST, Determinism.RUN);

  /** What training is compared with what. */
  private record Cell(Determinism level, boolean saves) {}

  /** One turn of the slowest rank. */
  private record Turn(double stallSeconds, double seconds) {}

  private final Model network;
  private final Path folder;
  private final int batch;
  private final int rounds;
  private final Progress progress;
  private final Map<Cell, List<Turn>> turns = new LinkedHashMap<>();

  /**
   * A study that has not begun.
   *
   * @param batch samples of both ranks per step
   */
  DeterminismStudy(Model network, Path folder, int batch, int rounds, Progress progress) {
    this.network = network;
    this.folder = folder;
    this.batch = batch;
    this.rounds = rounds;
    this.progress = progress;
    for (Determinism level : LEVELS) {
      turns.put(new Cell(level, false), new ArrayList<>());
      turns.put(new Cell(level, true), new ArrayList<>());
    }
  }

  /** As {@link CheckpointRow} has it. */
  String model() {
    return network.code() + "-determinism";
  }

  /** Trains, and gives a row for each of the four. */
  List<CheckpointRow> run(String machine) {
    List<String> arguments =
        List.of(network.name(), folder.toString(), Integer.toString(batch / RANKS));
    RankProcesses processes =
        new RankProcesses(
            "determinism", RANKS, DeterminismRankMain.class, arguments, Optional.empty());
    Map<Determinism, String> sameBits = new LinkedHashMap<>();
    try (LiveContender ranks = LiveContender.start(processes, folder);
        Progress.Task task = progress.start("train deterministically", rounds + 1L, "rounds")) {
      // Which warms up, too.
      for (Determinism level : LEVELS) {
        sameBits.put(level, ranks.ask(new Order.Compare(level, COMPARED_STEPS).toString()));
      }
      task.advanceTo(1);
      for (int round = 0; round < rounds; round++) {
        List<Cell> order = new ArrayList<>(turns.keySet());
        Collections.rotate(order, round);
        for (Cell cell : round % 2 == 0 ? order : order.reversed()) {
          Order.Turn turn = new Order.Turn(cell.level(), cell.saves(), TrainingOverhead.STEPS);
          turns.get(cell).add(turn(ranks.ask(turn.toString())));
        }
        task.advanceTo(round + 2L);
      }
    }
    return turns.keySet().stream()
        .map(cell -> row(cell, sameBits.get(cell.level()), machine))
        .toList();
  }

  private static Turn turn(String answer) {
    double[] seconds = Arrays.stream(answer.split(" ")).mapToDouble(Double::parseDouble).toArray();
    return new Turn(seconds[0], Arrays.stream(seconds).sum());
  }

  private CheckpointRow row(Cell cell, String sameBits, String machine) {
    List<Turn> own = turns.get(cell);
    List<Turn> plain = turns.get(new Cell(Determinism.FAST, false));
    Spread stall =
        Spread.of(own.stream().map(turn -> cell.saves() ? turn.stallSeconds() : 0).toList());
    Spread seconds = Spread.of(own.stream().map(Turn::seconds).toList());
    Bootstrap percent =
        Bootstrap.of(
            IntStream.range(0, own.size())
                .mapToObj(
                    round -> (own.get(round).seconds() / plain.get(round).seconds() - 1) * 100)
                .toList());
    return new CheckpointRow(
        model(),
        cell.saves() ? "shards" : "none",
        cell.saves() ? "async" : "training",
        RANKS,
        0,
        stall.median() * 1e3,
        stall.least() * 1e3,
        stall.most() * 1e3,
        0,
        0,
        0,
        0,
        percent.median(),
        percent.low(),
        percent.high(),
        0,
        false,
        rounds,
        machine,
        Study.ofTraining("processes", cell.level().code(), seconds.median(), sameBits));
  }
}
