package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.core.Seed;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.posix.DurableFiles;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A trained run: its configuration, and its network with the parameters of one of its checkpoints.
 * Owns the network until closed.
 */
public final class SavedRun implements AutoCloseable {

  /** Which of a run's checkpoints. */
  public enum Which {
    LAST,
    /** The one after the best validation; kept if the configuration asked for it. */
    BEST
  }

  private static final Pattern STEP = Pattern.compile("step-(\\d{1,18})");

  private final TrainingConfig config;
  private final Network network;
  private final long step;

  private SavedRun(TrainingConfig config, Network network, long step) {
    this.config = config;
    this.network = network;
    this.step = step;
  }

  /**
   * Opens a run's folder, or one of the checkpoints in it.
   *
   * @param which checkpoint of a run's folder
   * @param threads of the engine; 0 for as many as one rank of the run has
   */
  public static SavedRun open(Path path, Which which, int threads) {
    Path given = path.toAbsolutePath().normalize();
    Matcher checkpoint = STEP.matcher(String.valueOf(given.getFileName()));
    boolean one = checkpoint.matches();
    Path run = one ? given.getParent().getParent() : given;
    if (!Files.exists(run.resolve(TrainingConfig.FILE))) {
      throw new UsageException(
          path
              + " is neither the folder of a run nor a checkpoint in one: there is no "
              + run.resolve(TrainingConfig.FILE));
    }
    TrainingConfig config = TrainingConfig.load(run);
    Path folder = one ? given.getParent() : config.checkpoint().folder(run);
    CheckpointStore store = new FolderCheckpointStore(folder, DurableFiles.system());
    List<Long> steps = store.steps();
    if (steps.isEmpty()) {
      throw new WorkFailedException("there is no checkpoint in " + folder);
    }
    NetworkOptions options = config.networkOptions().withFrozen(List.of());
    int processors = Runtime.getRuntime().availableProcessors();
    int wanted = threads > 0 ? threads : config.threadsPerRank(1, processors);
    Engine engine = config.compute().startEngine(wanted);
    Network network = Network.create(engine, config.network(), new Seed(0), options);
    try {
      long step = one ? Long.parseLong(checkpoint.group(1)) : steps.getLast();
      Map<String, String> values = store.restore(step, state(network));
      if (!one && which == Which.BEST) {
        step = Long.parseLong(values.get("best-step"));
        if (!steps.contains(step)) {
          throw new WorkFailedException(
              "the best validation was after step %d, which was not kept: set checkpoint.best: true"
                  .formatted(step));
        }
        store.restore(step, state(network));
      }
      return new SavedRun(config, network, step);
    } catch (RuntimeException e) {
      network.close();
      throw e;
    }
  }

  private static StateTree state(Network network) {
    List<TensorView> tensors = new ArrayList<>(network.parameters());
    tensors.addAll(network.buffers());
    return StateTree.of(tensors, Map.of());
  }

  public TrainingConfig config() {
    return config;
  }

  /** The network with the parameters of the checkpoint. */
  public Network network() {
    return network;
  }

  /** The step of the checkpoint. */
  public long step() {
    return step;
  }

  @Override
  public void close() {
    network.close();
  }
}
