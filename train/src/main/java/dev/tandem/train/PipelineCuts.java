package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.nn.Engine;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.stage.Balance;
import dev.tandem.parallel.stage.LayerTimes;
import dev.tandem.parallel.stage.StageCuts;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.StrategyConfig;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Where a run's pipeline is cut: rank 0 decides, once, and the run's configuration keeps it. */
final class PipelineCuts {

  /** What messages between processes of a host are taken to reach, and between hosts. */
  private static final double BYTES_PER_SECOND = 4e9;

  private static final double BYTES_PER_SECOND_BETWEEN_HOSTS = 1e9;

  /** What a message costs however short it is. */
  private static final double SECONDS_PER_MESSAGE = 3e-5;

  private PipelineCuts() {}

  /**
   * The configuration with the cuts of its pipeline, if it has one: those that rank 0 knows or
   * finds. All ranks call this together. Found ones are written into the run's configuration, so
   * that a run that continues is cut as before.
   *
   * <p>After a loss some ranks were started when the configuration had no cuts, their replacements
   * when it had: so rank 0 tells the others in any case.
   */
  static TrainingConfig decided(
      TrainingConfig config, Communicator communicator, Path run, Supplier<Engine> engine) {
    if (!config.strategy().mesh().pipelined()) {
      return config;
    }
    config.checkRanks(communicator.size());
    if (communicator.rank() > 0) {
      return config.withCuts(shared(List.of(), communicator));
    }
    Optional<List<String>> known = known(config, run);
    List<String> cuts =
        known.isPresent() ? known.get() : measured(config, communicator, engine.get());
    TrainingConfig decided = config.withCuts(shared(cuts, communicator));
    if (known.isEmpty() && Files.exists(run.resolve(TrainingConfig.FILE))) {
      decided.save(run);
      System.err.println("pipeline: " + stages(decided));
    }
    return decided;
  }

  /** The cuts that the configuration names, or the run's, which may know more by now. */
  private static Optional<List<String>> known(TrainingConfig config, Path run) {
    StrategyConfig own = config.strategy();
    if (!own.pipeline().automatic()) {
      return Optional.of(own.pipeline().cuts());
    }
    Path file = run.resolve(TrainingConfig.FILE);
    return Optional.of(file)
        .filter(Files::exists)
        .map(existing -> ConfigFile.read(existing).withoutData().strategy())
        .filter(saved -> !saved.pipeline().automatic() && saved.mesh().equals(own.mesh()))
        .map(saved -> saved.pipeline().cuts());
  }

  private static String stages(TrainingConfig config) {
    List<String> cuts = config.strategy().pipeline().cuts();
    return cuts.isEmpty()
        ? "one stage"
        : "stages after the first begin with %s, which config.yaml keeps as cuts"
            .formatted(String.join(", ", cuts));
  }

  /** The layers at which stages begin; all ranks call this together. */
  static List<String> of(
      TrainingConfig config, Communicator communicator, Supplier<Engine> engine) {
    if (!config.strategy().pipeline().automatic()) {
      return config.strategy().pipeline().cuts();
    }
    return shared(
        communicator.rank() == 0 ? measured(config, communicator, engine.get()) : List.of(),
        communicator);
  }

  private static List<String> measured(
      TrainingConfig config, Communicator communicator, Engine engine) {
    NetworkSpec network = config.network();
    Mesh mesh = config.mesh(communicator.size());
    int stages = mesh.size(Mesh.PIPELINE);
    Set<String> frozen = LayerNames.matching(network, config.fineTune().freeze());
    StageCuts cuts = new StageCuts(LocalNetwork.undivided(network), frozen);
    long pieces = (long) config.strategy().pipeline().microBatches() * mesh.size(Mesh.DATA);
    int samples = Math.toIntExact(Math.max(1, config.batch().global() / pieces));
    double[] seconds = LayerTimes.of(engine, network, samples, DType.FLOAT32, frozen);
    double speed =
        communicator.topology().localSize(0) == communicator.size()
            ? BYTES_PER_SECOND
            : BYTES_PER_SECOND_BETWEEN_HOSTS;
    double[] messages = new double[seconds.length];
    for (int i = 1; i < messages.length; i++) {
      double bytes =
          ((double) cuts.elementsForward(i) + cuts.elementsBackward(i)) * Float.BYTES * samples;
      messages[i] = bytes / speed + cuts.crossing(i).size() * SECONDS_PER_MESSAGE;
    }
    return cuts.names(new Balance(cuts, seconds, messages).begins(stages));
  }

  /** The names that rank 0 has. */
  private static List<String> shared(List<String> names, Communicator communicator) {
    byte[] text = String.join("\n", names).getBytes(StandardCharsets.UTF_8);
    int[] length = {text.length};
    communicator.broadcast(MemorySegment.ofArray(length), 0);
    byte[] all = communicator.rank() == 0 ? text : new byte[length[0]];
    communicator.broadcast(MemorySegment.ofArray(all), 0);
    return all.length == 0
        ? List.of()
        : List.of(new String(all, StandardCharsets.UTF_8).split("\n", -1));
  }
}
