package dev.tandem.checkpoint;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * What rank 0 does for all in a save, in this order: makes the folder, puts the manifest aside
 * while the shards are on their way, and gives it its name when they are there. See Note [commit]
 * in the package description. Answers are empty, or say why the save fails for all. One thread.
 */
final class Commit {

  private static final String PENDING = Manifest.FILE + ".pending";

  private final Path store;
  private final DurableFiles files;
  private final Consumer<String> lines;
  private final Executor asyncThreads;
  private AsyncTask named;
  private Manifest drafted;

  /**
   * For the saves of one store.
   *
   * @param asyncThreads see {@link AsyncTask#threads}
   */
  Commit(Path store, DurableFiles files, Consumer<String> lines, Executor asyncThreads) {
    this.store = store;
    this.files = files;
    this.lines = lines;
    this.asyncThreads = asyncThreads;
  }

  /**
   * Makes an empty folder for a step.
   *
   * @param again even if there is a checkpoint of it
   */
  String prepare(long step, boolean again) {
    try {
      Path place = store.resolve(StepFolders.name(step));
      if (!again && StepFolders.isCommitted(store, step, files)) {
        // Writing over it would leave a moment without any good copy.
        return place + " exists already; remove it to save this step again";
      }
      StepFolders.remove(store, step, files);
      files.createFolders(store);
      files.createFolder(place);
      // Takes as long as writing some megabytes, and nothing needs it before the commit.
      named = AsyncTask.start(asyncThreads, () -> files.forceDirectory(store));
      return "";
    } catch (WorkFailedException e) {
      return e.getMessage();
    }
  }

  /** Writes the manifest of these parts, one for each rank, so that it only lacks its name. */
  String draft(Snapshot snapshot, List<Part> parts) {
    for (int rank = 0; rank < parts.size(); rank++) {
      if (!parts.get(rank).failure().isEmpty()) {
        return notSaved(snapshot.step(), rank, parts.get(rank).failure());
      }
    }
    Manifest manifest = Part.manifest(snapshot.step(), snapshot.values(), parts);
    drafted = manifest;
    List<String> faults = new ArrayList<>(manifest.gaps());
    for (String shard : manifest.shards().keySet()) {
      if (!files.exists(store.resolve(shard))) {
        faults.add("what has not changed since is gone: there is no " + store.resolve(shard));
      }
    }
    if (parts.stream().mapToInt(Part::holders).distinct().count() > 1) {
      faults.add("the ranks' tensors changed, but not in all ranks at the same step");
    }
    if (!faults.isEmpty()) {
      return "the checkpoint of step %d was not saved: %s"
          .formatted(snapshot.step(), faults.getFirst());
    }
    try {
      write(manifest.encode(), store.resolve(StepFolders.name(snapshot.step())).resolve(PENDING));
      return "";
    } catch (WorkFailedException e) {
      return notSaved(snapshot.step(), 0, e.getMessage());
    }
  }

  /** The manifest of the last draft. */
  Manifest drafted() {
    return drafted;
  }

  private void write(ByteBuffer manifest, Path path) {
    try (DurableFile file = files.openOrCreate(path)) {
      file.truncate(0);
      file.write(manifest, 0);
      file.force();
    }
  }

  private static String notSaved(long step, int rank, String failure) {
    return "the checkpoint of step %d was not saved: rank %d: %s".formatted(step, rank, failure);
  }

  /**
   * Commits the drafted manifest, or removes what there is. No rank writes to the folder any more.
   *
   * @param refusal of the draft
   * @param failures of every rank's shard, empty if it is on the disk
   */
  String commit(long step, String refusal, List<byte[]> failures) {
    String reason = refusal;
    for (int rank = 0; reason.isEmpty() && rank < failures.size(); rank++) {
      String failure = new String(failures.get(rank), StandardCharsets.UTF_8);
      reason = failure.isEmpty() ? "" : notSaved(step, rank, failure);
    }
    if (reason.isEmpty()) {
      reason = giveName(step);
    }
    if (!reason.isEmpty()) {
      discard(step);
    }
    return reason;
  }

  private String giveName(long step) {
    Path place = store.resolve(StepFolders.name(step));
    try {
      named.await();
      files.rename(place.resolve(PENDING), place.resolve(Manifest.FILE));
      files.forceDirectory(place);
      return "";
    } catch (WorkFailedException e) {
      return notSaved(step, 0, e.getMessage());
    }
  }

  /** Gives the room back that an unfinished checkpoint takes; it may be what a full disk lacks. */
  private void discard(long step) {
    try {
      StepFolders.remove(store, step, files);
    } catch (WorkFailedException e) {
      lines.accept("the remains of step " + step + " stay: " + e.getMessage());
    }
  }
}
