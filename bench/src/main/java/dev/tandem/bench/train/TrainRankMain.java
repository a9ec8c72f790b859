package dev.tandem.bench.train;

import dev.tandem.bench.Contender;
import dev.tandem.bench.Spread;
import dev.tandem.bench.WarmUp;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.core.DType;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Tandem's side of {@code tandem bench train}, one rank: the same steps as {@code train_torch.py},
 * with the same lines read and printed.
 */
public final class TrainRankMain {

  private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(4);

  /** Networks that are trained, each made when it is first asked for. */
  private record Key(TrainNetwork network, boolean mixed, int threads) {}

  private final Communicator communicator;
  private final Path folder;
  private final Map<Key, Training> trainings = new HashMap<>();
  private final Map<TrainNetwork, Integer> batches = new EnumMap<>(TrainNetwork.class);

  private TrainRankMain(Communicator communicator, Path folder) {
    this.communicator = communicator;
    this.folder = folder;
  }

  /**
   * Does what each line asks for.
   *
   * @param args the prefix of the pipes' names, and the folder for weights and samples
   */
  public static void main(String[] args) throws IOException {
    Reduction.prepare();
    try (Communicator communicator = Communicator.join();
        BufferedReader pipe = Files.newBufferedReader(Path.of(args[0] + communicator.rank()))) {
      TrainRankMain main = new TrainRankMain(communicator, Path.of(args[1]));
      main.print(Contender.READY);
      for (String line = pipe.readLine(); line != null; line = pipe.readLine()) {
        main.print(
            switch (TrainRequest.of(line)) {
              case TrainRequest.Check check -> main.check(check);
              case TrainRequest.Run run -> main.run(run);
              case TrainRequest.Expose expose -> main.expose(expose);
            });
      }
      main.trainings.values().forEach(Training::close);
    }
  }

  private void print(String line) {
    if (communicator.rank() == 0) {
      System.out.println(line);
    }
  }

  private String check(TrainRequest.Check check) {
    batches.put(check.network(), check.batch());
    Training training = training(new Key(check.network(), false, 1));
    if (communicator.rank() == 0) {
      training.write(folder);
    }
    StringBuilder answer = new StringBuilder().append(check.network().spec().parameterCount());
    for (int step = 0; step < TrainRequest.Check.STEPS; step++) {
      answer.append(String.format(Locale.ROOT, " %.6f", training.step(true)));
    }
    return answer.toString();
  }

  private String run(TrainRequest.Run run) {
    Training training = training(new Key(run.network(), run.mixed(), run.threads()));
    warmUp(training, run.warmUp());
    double[] seconds = new double[run.steps()];
    Arrays.setAll(seconds, step -> seconds(() -> training.step(true)));
    slowest(seconds);
    double step = Spread.of(Arrays.stream(seconds).boxed().toList()).median();
    return String.format(Locale.ROOT, "%.9f", step);
  }

  /**
   * Makes some steps, again and again until the JVM has compiled what there is to compile: its
   * compilers have no core but those that train. Only first turns take more than one lap.
   */
  private void warmUp(Training training, int steps) {
    WarmUp.run(
        LONGEST_WARM_UP,
        () -> {
          for (int step = 0; step < steps; step++) {
            training.step(true);
          }
        },
        share -> {
          double[] most = {share};
          largest(most);
          return most[0];
        });
  }

  private String expose(TrainRequest.Expose expose) {
    Training training = training(new Key(expose.network(), false, 1));
    int batch = expose.batch();
    for (int step = 0; step < expose.warmUp(); step++) {
      training.step(true, batch);
    }
    double[] with = new double[expose.pairs()];
    double[] without = new double[expose.pairs()];
    for (int pair = 0; pair < expose.pairs(); pair++) {
      // In turns, so that what a step leaves behind cancels out.
      if (pair % 2 == 0) {
        with[pair] = seconds(() -> training.step(true, batch));
        without[pair] = seconds(() -> training.step(false, batch));
      } else {
        without[pair] = seconds(() -> training.step(false, batch));
        with[pair] = seconds(() -> training.step(true, batch));
      }
    }
    slowest(with);
    slowest(without);
    return IntStream.range(0, expose.pairs())
        .mapToObj(pair -> String.format(Locale.ROOT, "%.9f", with[pair] - without[pair]))
        .collect(Collectors.joining(" "));
  }

  /** Of the slowest rank, step by step: with synchronisation each waits for it anyway. */
  private void slowest(double[] seconds) {
    largest(seconds);
  }

  /** Of all ranks, one by one. */
  private void largest(double[] numbers) {
    communicator.allreduce(MemorySegment.ofArray(numbers), DType.FLOAT64, ReduceOp.MAX);
  }

  private double seconds(Runnable step) {
    communicator.barrier();
    long began = System.nanoTime();
    step.run();
    return (System.nanoTime() - began) / 1e9;
  }

  private Training training(Key key) {
    return trainings.computeIfAbsent(
        key,
        k ->
            new Training(
                communicator, k.network(), batches.get(k.network()), k.mixed(), k.threads()));
  }
}
