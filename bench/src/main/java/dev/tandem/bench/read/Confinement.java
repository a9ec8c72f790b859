package dev.tandem.bench.read;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Limits under which a contender runs: none, or those of a control group (version 1). The group
 * goes when this is closed, also by Ctrl-C.
 */
final class Confinement implements AutoCloseable {

  private static final Path CONTROLLERS = Path.of("/sys/fs/cgroup");
  private static final String MEMORY = "memory";
  private static final String DISK = "blkio";
  private static final String READ_REQUESTS = "blkio.throttle.read_iops_device";

  private static final long LIMITED_MEMORY = 768L << 20;
  private static final int THROTTLED_REQUESTS = 1000;

  private final Optional<Path> group;

  private Confinement(Optional<Path> group) {
    this.group = group;
  }

  /** What an access of the benchmark is limited to. */
  static Confinement of(ReadAccess access, DiskDevice disk) {
    return switch (access) {
      case LIMITED -> memory(LIMITED_MEMORY);
      case THROTTLED -> readRequests(disk, THROTTLED_REQUESTS);
      case STRIDED, SHUFFLED, LATENCY, REPEATED, LOADER -> none();
    };
  }

  static Confinement none() {
    return new Confinement(Optional.empty());
  }

  /** Memory for the processes and for the pages of files that they bring into the page cache. */
  static Confinement memory(long bytes) {
    return in(MEMORY, "memory.limit_in_bytes", Long.toString(bytes));
  }

  /** Requests that they may send to a disk each second. */
  static Confinement readRequests(DiskDevice disk, int perSecond) {
    return in(DISK, READ_REQUESTS, disk.numbers() + " " + perSecond);
  }

  /** Why memory cannot be limited here, if so. */
  static Optional<String> memoryMissing() {
    return missing(MEMORY, "memory.limit_in_bytes");
  }

  /** Why requests cannot be limited here, if so. */
  static Optional<String> readRequestsMissing() {
    return missing(DISK, READ_REQUESTS);
  }

  private static Optional<String> missing(String controller, String setting) {
    Path folder = CONTROLLERS.resolve(controller);
    if (!Files.exists(folder.resolve(setting))) {
      return Optional.of(
          "there is no control group controller " + controller + " (version 1) in " + CONTROLLERS);
    }
    return Files.isWritable(folder)
        ? Optional.empty()
        : Optional.of("making a control group in " + folder + " needs root");
  }

  private static Confinement in(String controller, String setting, String value) {
    Path group =
        CONTROLLERS.resolve(controller).resolve("tandem-bench-" + ProcessHandle.current().pid());
    try {
      Files.createDirectories(group);
      Runtime.getRuntime()
          .addShutdownHook(Thread.ofPlatform().name("remove-group").unstarted(() -> drop(group)));
      Files.writeString(group.resolve(setting), value);
      return new Confinement(Optional.of(group));
    } catch (IOException e) {
      throw FileErrors.failure("set " + setting + " of", group, e);
    }
  }

  /** The command that runs a command under the limits. */
  List<String> wrap(List<String> command) {
    if (group.isEmpty()) {
      return command;
    }
    List<String> wrapped = new ArrayList<>();
    // The shell enters the group and becomes the program: same process, same children.
    wrapped.addAll(List.of("sh", "-c", "echo $$ > \"$0\" && exec \"$@\""));
    wrapped.add(group.get().resolve("cgroup.procs").toString());
    wrapped.addAll(command);
    return wrapped;
  }

  /** A group can be removed as soon as its last process is gone; its folder has no real files. */
  private static void drop(Path group) {
    try {
      Files.deleteIfExists(group);
    } catch (IOException e) {
      System.err.println("tandem: cannot remove " + group + ": " + e.getMessage());
    }
  }

  @Override
  public void close() {
    group.ifPresent(Confinement::drop);
  }
}
