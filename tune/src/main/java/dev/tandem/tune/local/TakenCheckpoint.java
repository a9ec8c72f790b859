package dev.tandem.tune.local;

import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Copies of checkpoints of other trials, from which a trial goes on. */
public final class TakenCheckpoint {

  private TakenCheckpoint() {}

  /**
   * Copies a checkpoint into a folder of its own; when this returns, the copy survives a power
   * loss. For a training, the folder becomes a run with that one checkpoint.
   *
   * @param from the checkpoint, a file or a folder
   * @param own the last checkpoint that the trial itself saved
   * @param folder in the trial's; what an interrupted copy left there is removed
   * @return the copy
   */
  public static Path copy(Path from, Path own, Path folder) {
    FileTrees.delete(folder);
    try {
      Optional<Path> run = TrainingRun.ofCheckpoint(own);
      Path place = run.isPresent() ? TrainingRun.checkpoints(folder) : folder;
      Files.createDirectories(place);
      if (run.isPresent()) {
        for (Path file : files(run.get())) {
          copyFile(file, folder.resolve(file.getFileName()));
        }
      }
      Path copy = place.resolve(from.getFileName());
      copyTree(from, copy);
      DurableFiles.system().forceDirectory(place);
      DurableFiles.system().forceDirectory(folder);
      DurableFiles.system().forceDirectory(folder.getParent());
      return copy;
    } catch (IOException e) {
      throw FileErrors.failure("copy", from, e);
    } catch (UncheckedIOException e) {
      throw FileErrors.failure("copy", from, e.getCause());
    }
  }

  /** Whether a trial can go on from a checkpoint: a training finds the newest of its run. */
  public static boolean there(Path checkpoint) {
    return Files.exists(checkpoint) || TrainingRun.ofCheckpoint(checkpoint).isPresent();
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private static void copyTree(Path from, Path to) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(from)) {
      all = walk.toList();
    }
    for (Path each : all) {
      Path place = to.resolve(from.relativize(each).toString()).normalize();
      if (Files.isDirectory(each)) {
        Files.createDirectories(place);
      } else {
        copyFile(each, place);
      }
    }
    for (Path each : all.reversed()) {
      if (Files.isDirectory(each)) {
        DurableFiles.system()
            .forceDirectory(to.resolve(from.relativize(each).toString()).normalize());
      }
    }
  }

  private static void copyFile(Path from, Path to) throws IOException {
    Files.copy(from, to);
    try (FileChannel file = FileChannel.open(to, StandardOpenOption.WRITE)) {
      file.force(true);
    }
  }
}
