package dev.tandem.bench.gpu;

import dev.tandem.bench.Contender;
import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.nn.Device;
import dev.tandem.nn.Engine;
import dev.tandem.nn.EngineOptions;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.nn.Samples;
import dev.tandem.posix.FileErrors;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Tandem's side of {@code tandem bench train --device cuda}, one rank: does what the lines of its
 * pipe ask for, as {@code train_torch_gpu.py} does.
 */
public final class GpuTrainMain {

  /**
   * Steps of a kind before it is measured: kernels are chosen, the JVM compiles, one is recorded.
   */
  private static final int WARM_UP = 30;

  private final Communicator ranks;
  private final Path folder;
  private final Device device;

  /** The case that was measured last, with and without recorded steps. */
  private GpuCase present;

  private GpuTraining repeated;
  private GpuTraining launched;

  private GpuTrainMain(Communicator ranks, Path folder, Device device) {
    this.ranks = ranks;
    this.folder = folder;
    this.device = device;
  }

  /**
   * Does what each line asks for.
   *
   * @param args the prefix of the pipes' names, the folder for parameters and batches, the device
   */
  public static void main(String[] args) throws IOException {
    try (Communicator ranks = Communicator.join();
        BufferedReader pipe = Files.newBufferedReader(Path.of(args[0] + ranks.rank()))) {
      GpuTrainMain main = new GpuTrainMain(ranks, Path.of(args[1]), new Device(args[2]));
      main.print(Contender.READY);
      for (String line = pipe.readLine(); line != null; line = pipe.readLine()) {
        String[] words = line.split(" ", -1);
        main.print(
            switch (words[0]) {
              case "losses" -> main.losses(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
              case "about" -> main.about();
              default -> main.measured(words);
            });
      }
      main.end();
    }
  }

  private void print(String line) {
    if (ranks.rank() == 0) {
      System.out.println(line);
    }
  }

  private String about() {
    Engine.choose(device);
    return Engine.version() + "; " + String.join("; ", Engine.gpus());
  }

  /** Writes parameters and batches for the peer and trains on them in exact float32. */
  private String losses(int steps, int batch) {
    Engine engine = Engine.start(EngineOptions.of(device, 1));
    List<String> losses = new ArrayList<>();
    try (GpuTraining training =
        new GpuTraining(engine, GpuNetwork.RESNET18, NetworkOptions.DEFAULT, batch, ranks)) {
      training.network().download();
      write("parameters", training.network().parameters().stream().map(TensorView::data).toList());
      List<Samples> batches = new ArrayList<>();
      for (int step = 0; step < steps; step++) {
        batches.add(training.batch(1 + step, batch));
      }
      write("inputs", batches.stream().map(Samples::inputs).toList());
      write("labels", batches.stream().map(Samples::targets).toList());
      for (Samples each : batches) {
        losses.add(
            String.format(
                Locale.ROOT, "%.7f", training.step(each, false, GpuTraining.GENTLE_RATE)));
      }
    }
    return String.join(" ", losses);
  }

  private void write(String name, List<MemorySegment> parts) {
    Path file = folder.resolve("gpu." + name);
    try (OutputStream stream = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (MemorySegment part : parts) {
        stream.write(part.toArray(ValueLayout.JAVA_BYTE));
      }
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }

  /** Seconds of a step, from that many. */
  private String measured(String... words) {
    GpuCase asked = GpuCase.parse(words[1], words[2], words[3]);
    int steps = Integer.parseInt(words[4]);
    if (!asked.equals(present)) {
      end();
      present = asked;
    }
    double seconds =
        switch (words[0]) {
          case "graph" -> seconds(training(true)::step, steps);
          case "eager" -> seconds(training(false)::step, steps);
          case "saving" -> seconds(training(true)::savingStep, steps);
          case "exchange" -> seconds(training(false)::exchangingStep, steps);
          default -> throw new IllegalArgumentException("asked for " + words[0]);
        };
    return String.format(Locale.ROOT, "%.9f", seconds);
  }

  private GpuTraining training(boolean graph) {
    GpuTraining known = graph ? repeated : launched;
    if (known != null) {
      return known;
    }
    Engine engine = Engine.start(present.engine(device, ranks.rank(), graph));
    GpuTraining made =
        new GpuTraining(engine, present.network(), present.options(), present.batch(), ranks);
    for (int step = 0; step < WARM_UP; step++) {
      made.step();
    }
    if (graph) {
      repeated = made;
    } else {
      launched = made;
    }
    return made;
  }

  /** A step reads its loss, so that nothing is under way at the end. */
  private double seconds(Runnable step, int steps) {
    for (int i = 0; i < 3; i++) {
      step.run();
    }
    ranks.barrier();
    long began = System.nanoTime();
    for (int i = 0; i < steps; i++) {
      step.run();
    }
    double[] slowest = {(System.nanoTime() - began) / 1e9 / steps};
    ranks.allreduce(MemorySegment.ofArray(slowest), DType.FLOAT64, ReduceOp.MAX);
    return slowest[0];
  }

  private void end() {
    if (repeated != null) {
      repeated.close();
    }
    if (launched != null) {
      launched.close();
    }
    repeated = null;
    launched = null;
  }
}
