package dev.tandem.bench.sync;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** What the kernel has counted for the threads of this process that are alive, by their roles. */
record ProcessCounters(Map<ThreadRole, ThreadCounters> roles) {

  private static final Path TASKS = Path.of("/proc/self/task");
  private static final Path THIS_THREAD = Path.of("/proc/thread-self");

  /** Now; the calling thread is the one that trains. */
  static ProcessCounters read() {
    Map<ThreadRole, ThreadCounters> roles = new EnumMap<>(ThreadRole.class);
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(TASKS)) {
      String training = Files.readSymbolicLink(THIS_THREAD).getFileName().toString();
      for (Path thread : threads) {
        try {
          String name = Files.readString(thread.resolve("comm")).strip();
          ThreadRole role = ThreadRole.of(name, thread.getFileName().toString().equals(training));
          ThreadCounters counted =
              ThreadCounters.of(
                  Files.readString(thread.resolve("schedstat")).strip(),
                  Files.readString(thread.resolve("status")));
          roles.merge(role, counted, ThreadCounters::plus);
        } catch (NoSuchFileException e) {
          // It has ended just now.
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + TASKS, e);
    }
    return new ProcessCounters(roles);
  }

  ThreadCounters of(ThreadRole role) {
    return roles.getOrDefault(role, ThreadCounters.NONE);
  }

  ProcessCounters since(ProcessCounters earlier) {
    Map<ThreadRole, ThreadCounters> used = new EnumMap<>(ThreadRole.class);
    for (ThreadRole role : ThreadRole.values()) {
      used.put(role, of(role).since(earlier.of(role)));
    }
    return new ProcessCounters(used);
  }
}
