package dev.tandem.checkpoint;

import dev.tandem.posix.DurableFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names and order of the checkpoints in a store's folder. */
final class StepFolders {

  private static final Pattern NAME = Pattern.compile("step-(\\d{1,18})");

  private StepFolders() {}

  static String name(long step) {
    return "step-%09d".formatted(step);
  }

  static String shard(long step, int rank, int ranks) {
    return "%s/shard-%05d-of-%05d.safetensors".formatted(name(step), rank, ranks);
  }

  /** The step of the checkpoint that a shard lies in, from its path within the store. */
  static long stepOfShard(String shard) {
    Matcher matcher = NAME.matcher(shard.substring(0, Math.max(0, shard.indexOf('/'))));
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
  }

  /** The steps that have a folder, committed or not, oldest first. */
  static List<Long> all(Path store, DurableFiles files) {
    return files.list(store).stream()
        .map(NAME::matcher)
        .filter(Matcher::matches)
        .map(matcher -> Long.valueOf(matcher.group(1)))
        .sorted()
        .toList();
  }

  /** The steps that have a commit mark, oldest first. */
  static List<Long> committed(Path store, DurableFiles files) {
    return all(store, files).stream().filter(step -> isCommitted(store, step, files)).toList();
  }

  static boolean isCommitted(Path store, long step, DurableFiles files) {
    return files.exists(store.resolve(name(step)).resolve(Manifest.FILE));
  }

  /** Removes a checkpoint, its mark first: what is left after a crash is none. */
  static void remove(Path store, long step, DurableFiles files) {
    Path folder = store.resolve(name(step));
    Path mark = folder.resolve(Manifest.FILE);
    if (files.exists(mark)) {
      files.delete(mark);
      files.forceDirectory(folder);
    }
    files.list(folder).forEach(file -> files.delete(folder.resolve(file)));
    files.delete(folder);
  }
}
