package dev.tandem.train;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A store that tells of each save before it begins. */
record CountedSaves(CheckpointStore store, Runnable saving) implements CheckpointStore {

  @Override
  public Path save(long step, SlicedState state) {
    saving.run();
    return store.save(step, state);
  }

  @Override
  public Optional<Path> keep(long step, SlicedState state) {
    saving.run();
    return store.keep(step, state);
  }

  @Override
  public void await() {
    store.await();
  }

  @Override
  public double writeSeconds() {
    return store.writeSeconds();
  }

  @Override
  public List<Long> steps() {
    return store.steps();
  }

  @Override
  public Map<String, String> restore(long step, SlicedState state) {
    return store.restore(step, state);
  }

  @Override
  public Optional<Restored> restoreNewest(SlicedState state) {
    return store.restoreNewest(state);
  }
}
