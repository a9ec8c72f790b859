package dev.tandem.checkpoint;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Removes what nobody wants any more. See Note [retention] in the package description. */
final class Housekeeping {

  private final Path store;
  private final DurableFiles files;
  private final Retention retention;
  private final Consumer<String> lines;

  Housekeeping(Path store, DurableFiles files, Retention retention, Consumer<String> lines) {
    this.store = store;
    this.files = files;
    this.retention = retention;
    this.lines = lines;
  }

  /** Removes checkpoints; one that cannot be removed is told of and stays. */
  void run() {
    if (retention.equals(Retention.ALL)) {
      return;
    }
    TreeMap<Long, Manifest> sound = new TreeMap<>();
    for (long step : StepFolders.committed(store, files)) {
      // What is incomplete counts for nothing; it stays for who wants to look at it.
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
      Manifest manifest = SavedCheckpoint.open(store, step, files).manifest();
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
