package dev.tandem.checkpoint;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Removes what is not needed any more. See Note [retention] in the package description. Reads each
 * manifest once and remembers it, for a run that saves often; one thread at a time.
 */
final class Housekeeping {

  private final Path store;
  private final DurableFiles files;
  private final Retention retention;
  private final Consumer<String> lines;
  private final Map<Long, Manifest> read = new HashMap<>();

  Housekeeping(Path store, DurableFiles files, Retention retention, Consumer<String> lines) {
    this.store = store;
    this.files = files;
    this.retention = retention;
    this.lines = lines;
  }

  /** Takes over what this process has just committed, so that it need not be read. */
  void committed(Manifest manifest) {
    if (!retention.equals(Retention.ALL)) {
      read.put(manifest.step(), manifest);
    }
  }

  /** Removes checkpoints; one that cannot be removed is reported and stays. */
  void run() {
    if (retention.equals(Retention.ALL)) {
      return;
    }
    TreeMap<Long, Manifest> sound = new TreeMap<>();
    List<Long> committed = StepFolders.committed(store, files);
    read.keySet().retainAll(committed);
    for (long step : committed) {
      // What is incomplete counts for nothing; it stays to be looked at.
      manifestIfComplete(step, sound);
    }
    TreeMap<Long, Map<String, String>> values = new TreeMap<>();
    sound.forEach((step, manifest) -> values.put(step, manifest.values()));
    List<Long> kept = retention.kept(values);
    if (kept.isEmpty()) {
      return;
    }
    Set<String> needed = new HashSet<>();
    kept.forEach(step -> needed.addAll(sound.get(step).folders()));
    kept.forEach(step -> needed.add(StepFolders.name(step)));
    for (long step : sound.keySet()) {
      if (!needed.contains(StepFolders.name(step))) {
        try {
          StepFolders.remove(store, step, files);
        } catch (WorkFailedException e) {
          lines.accept("an old checkpoint stays: " + e.getMessage());
        }
      }
    }
  }

  private void manifestIfComplete(long step, Map<Long, Manifest> sound) {
    try {
      Manifest manifest = read.get(step);
      if (manifest == null) {
        manifest = SavedCheckpoint.open(store, step, files).manifest();
        read.put(step, manifest);
      }
      for (Map.Entry<String, Manifest.Shard> shard : manifest.shards().entrySet()) {
        try (DurableFile file = files.openForReading(store.resolve(shard.getKey()))) {
          if (file.size() != shard.getValue().bytes()) {
            return;
          }
        }
      }
      sound.put(step, manifest);
    } catch (WorkFailedException e) {
      lines.accept("not counted among the checkpoints to keep: " + e.getMessage());
    }
  }
}
