package dev.tandem.posix;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A control group of this machine, of version 1 or 2: limits of some processes and of all that they
 * start, and what they use together. It goes when this is closed, also by Ctrl-C; its processes
 * must have ended by then. Thread-safe.
 */
public final class ControlGroup implements AutoCloseable {

  private static final Path GROUPS = Path.of("/sys/fs/cgroup");
  private static final Pattern OURS = Pattern.compile("tandem-([0-9]{1,18})-.*");

  private static final Duration LEAVING = Duration.ofSeconds(2);

  /** One folder for each hierarchy that the group is in. */
  private final List<Path> folders;

  private final Thread removal;

  private ControlGroup(List<Path> folders) {
    this.folders = folders;
    this.removal = Thread.ofPlatform().name("remove-group").unstarted(this::drop);
    Runtime.getRuntime().addShutdownHook(removal);
  }

  /**
   * Where groups with a controller can be made.
   *
   * @param folder of the groups above ours
   */
  private record Hierarchy(Path folder, boolean version2) {

    /** The folder of version 2, which may lack controllers. */
    static Optional<Hierarchy> unified() {
      return Optional.of(
              Files.exists(GROUPS.resolve("unified")) ? GROUPS.resolve("unified") : GROUPS)
          .filter(folder -> Files.exists(folder.resolve("cgroup.subtree_control")))
          .map(folder -> new Hierarchy(folder, true));
    }

    static Optional<Hierarchy> of(GroupLimit limit) {
      Path first = GROUPS.resolve(limit.controller(false));
      if (Files.exists(first.resolve("cgroup.procs"))) {
        return Optional.of(new Hierarchy(first, false));
      }
      return unified()
          .filter(
              all -> {
                List<String> lines =
                    MemoryGroup.lines(all.folder.resolve("cgroup.subtree_control"));
                return String.join(" ", lines).matches(".*\\b" + limit.controller(true) + "\\b.*");
              });
    }
  }

  /** A group without limits, which counts what its processes use where the machine can. */
  public static ControlGroup counting(String name) {
    try {
      return new ControlGroup(List.copyOf(counters(name)));
    } catch (IOException e) {
      throw FileErrors.failure("make a control group in", GROUPS, e);
    }
  }

  /**
   * A group with limits, which counts as well; without limits its processes run as they would.
   *
   * @param name unlike those of other groups of this process that are open
   */
  public static ControlGroup with(String name, List<GroupLimit> limits) {
    Set<Path> folders = new LinkedHashSet<>();
    try {
      for (GroupLimit limit : limits) {
        Optional<String> missing = missing(limit);
        if (missing.isPresent()) {
          throw new UnsupportedOperationException(missing.get());
        }
        Hierarchy hierarchy = Hierarchy.of(limit).orElseThrow();
        Path folder = make(hierarchy.folder, name);
        folders.add(folder);
        set(folder, limit, hierarchy.version2);
      }
      if (!limits.isEmpty()) {
        folders.addAll(counters(name));
      }
    } catch (IOException e) {
      throw FileErrors.failure("make a control group in", GROUPS, e);
    }
    return new ControlGroup(List.copyOf(folders));
  }

  private static Set<Path> counters(String name) throws IOException {
    Set<Path> folders = new LinkedHashSet<>();
    for (Path parent : List.of(GROUPS.resolve("cpuacct"), GROUPS.resolve("unified"), GROUPS)) {
      boolean counts =
          Files.exists(parent.resolve("cpuacct.usage"))
              || Files.exists(parent.resolve("cgroup.subtree_control"));
      if (counts && Files.isWritable(parent)) {
        folders.add(make(parent, name));
      }
    }
    return folders;
  }

  /** Why a limit cannot be set here, if so. */
  public static Optional<String> missing(GroupLimit limit) {
    Optional<Hierarchy> hierarchy = Hierarchy.of(limit);
    if (hierarchy.isEmpty()) {
      return Optional.of(
          "there is no control group controller %s in %s"
              .formatted(limit.controller(false), GROUPS));
    }
    return Files.isWritable(hierarchy.get().folder)
        ? Optional.empty()
        : Optional.of("making a control group in " + hierarchy.get().folder + " needs root");
  }

  private static Path make(Path parent, String name) throws IOException {
    sweep(parent);
    return Files.createDirectories(
        parent.resolve("tandem-" + ProcessHandle.current().pid() + "-" + name));
  }

  /** Removes groups of processes that were killed. */
  private static void sweep(Path parent) throws IOException {
    try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, "tandem-*")) {
      for (Path group : groups) {
        Matcher name = OURS.matcher(group.getFileName().toString());
        if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
          try {
            Files.deleteIfExists(group);
          } catch (IOException e) {
            // It still has processes.
          }
        }
      }
    }
  }

  private static void set(Path folder, GroupLimit limit, boolean version2) throws IOException {
    if (!version2 && limit instanceof GroupLimit.Processors processors) {
      long period = processors.period().toNanos() / 1000;
      Files.writeString(folder.resolve("cpu.cfs_period_us"), Long.toString(period));
    }
    Files.writeString(folder.resolve(limit.file(version2)), limit.value(version2));
  }

  /** The command that runs a command in the group. */
  public List<String> wrap(List<String> command) {
    if (folders.isEmpty()) {
      return command;
    }
    List<String> wrapped = new ArrayList<>();
    // The shell enters the group and becomes the program: same process, same children.
    wrapped.addAll(
        List.of(
            "sh",
            "-c",
            "n=$1; shift; while [ $n -gt 0 ]; do echo $$ > \"$1\"; shift; n=$((n-1)); done;"
                + " exec \"$@\"",
            "sh"));
    wrapped.add(Integer.toString(folders.size()));
    folders.forEach(folder -> wrapped.add(folder.resolve("cgroup.procs").toString()));
    wrapped.addAll(command);
    return wrapped;
  }

  /** Takes a process into the group, with what it starts from now on. */
  public void add(long process) {
    for (Path folder : folders) {
      try {
        Files.writeString(folder.resolve("cgroup.procs"), Long.toString(process));
      } catch (IOException e) {
        throw FileErrors.failure("add process " + process + " to", folder, e);
      }
    }
  }

  /** Processor time of all its processes so far, of ended ones too; empty if nothing counts it. */
  public Optional<Duration> processorTime() {
    for (Path folder : folders) {
      List<String> counted = MemoryGroup.lines(folder.resolve("cpuacct.usage"));
      if (!counted.isEmpty()) {
        return Optional.of(Duration.ofNanos(Long.parseLong(counted.getFirst())));
      }
      List<String> statistics = MemoryGroup.lines(folder.resolve("cpu.stat"));
      if (statistics.stream().anyMatch(line -> line.startsWith("usage_usec "))) {
        return Optional.of(Duration.ofNanos(1000 * MemoryGroup.number(statistics, "usage_usec ")));
      }
    }
    return Optional.empty();
  }

  /** How many of its processes the kernel has ended because its memory was used up. */
  public long memoryKills() {
    long kills = 0;
    for (Path folder : folders) {
      kills +=
          MemoryGroup.number(MemoryGroup.lines(folder.resolve("memory.events")), "oom_kill ")
              + MemoryGroup.number(
                  MemoryGroup.lines(folder.resolve("memory.oom_control")), "oom_kill ");
    }
    return kills;
  }

  /**
   * Ends all its processes for sure, in whatever session or group they are. One that was started
   * just now may still be on its way into the group.
   */
  public void kill() {
    for (Path folder : folders) {
      try {
        if (Files.exists(folder.resolve("cgroup.kill"))) {
          Files.writeString(folder.resolve("cgroup.kill"), "1");
          return;
        }
      } catch (IOException e) {
        // One by one, then.
      }
    }
    for (Path folder : folders) {
      for (String process : MemoryGroup.lines(folder.resolve("cgroup.procs"))) {
        ProcessHandle.of(Long.parseLong(process)).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  /**
   * A group can be removed as soon as its last process is gone, which takes a moment after it was
   * killed; its folder has no real files.
   */
  private void drop() {
    long deadline = System.nanoTime() + LEAVING.toNanos();
    for (Path folder : folders) {
      while (!MemoryGroup.lines(folder.resolve("cgroup.procs")).isEmpty()
          && System.nanoTime() < deadline) {
        LockSupport.parkNanos(1_000_000);
      }
      try {
        Files.deleteIfExists(folder);
      } catch (IOException e) {
        System.err.println("tandem: cannot remove " + folder + ": " + e.getMessage());
      }
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(removal);
    } catch (IllegalStateException e) {
      // The hook removes it.
      return;
    }
    drop();
  }
}
