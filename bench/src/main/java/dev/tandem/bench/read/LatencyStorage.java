package dev.tandem.bench.read;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Children;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A folder seen through a filesystem that waits before it answers each read ({@code latency_fs.c}):
 * storage on which requests cost more than bytes. Read-only. It is unmounted when this is closed,
 * also by Ctrl-C, and if this JVM or the filesystem's process is killed.
 */
final class LatencyStorage implements AutoCloseable {

  private static final String PROGRAM = "latency_fs";
  private static final Path DEVICE = Path.of("/dev/fuse");
  private static final Path HEADER = Path.of("/usr/include/fuse3/fuse.h");
  private static final int PATIENCE_SECONDS = 10;

  private final Path mountPoint;
  private final Process process;
  private final Thread atExit;

  private LatencyStorage(Path mountPoint, Process process) {
    this.mountPoint = mountPoint;
    this.process = process;
    this.atExit = Thread.ofPlatform().name("unmount").unstarted(this::unmount);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Why there can be no such storage here, if so. */
  static Optional<String> missing() {
    if (!Files.isWritable(DEVICE)) {
      return Optional.of(DEVICE + " is missing, or not for this user");
    }
    boolean installed =
        Files.exists(HEADER) && Children.installed("fusermount3") && Children.installed("gcc");
    return installed
        ? Optional.empty()
        : Optional.of("libfuse3 is missing (Debian: apt-get install gcc libfuse3-dev fuse3)");
  }

  /**
   * Shows a folder at a new one.
   *
   * @param scratch for the program
   * @param beside where the new folder is made
   * @param milliseconds that every request waits
   */
  static LatencyStorage mount(BenchFolder scratch, Path folder, Path beside, double milliseconds) {
    Path program = compiled(scratch);
    Path mountPoint;
    try {
      mountPoint = Files.createTempDirectory(beside, "tandem-latency");
    } catch (IOException e) {
      throw FileErrors.failure("make a folder in", beside, e);
    }
    String microseconds = Long.toString(Math.round(milliseconds * 1000));
    List<String> command =
        List.of(program.toString(), folder.toString(), mountPoint.toString(), microseconds);
    Path errors = scratch.path().resolve(PROGRAM + ".err");
    LatencyStorage storage;
    try {
      // Its input is a pipe: when we are gone, it ends.
      Process started =
          new ProcessBuilder(command).redirectError(Redirect.to(errors.toFile())).start();
      storage = new LatencyStorage(mountPoint, started);
    } catch (IOException e) {
      throw FileErrors.failure("start", program, e);
    }
    storage.awaitMounted(errors);
    return storage;
  }

  private static Path compiled(BenchFolder scratch) {
    Path program = scratch.path().resolve(PROGRAM);
    if (!Files.exists(program)) {
      Path source = scratch.extract(LatencyStorage.class, PROGRAM + ".c");
      Children.run(
          List.of(
              "gcc",
              "-O2",
              "-I" + HEADER.getParent(),
              "-o",
              program.toString(),
              source.toString(),
              "-lfuse3",
              "-lpthread"));
    }
    return program;
  }

  private void awaitMounted(Path errors) {
    try {
      BufferedReader lines = process.inputReader();
      if (!"mounted".equals(lines.readLine())) {
        String why = Files.readString(errors).strip();
        close();
        throw new WorkFailedException("cannot mount a filesystem: " + why);
      }
    } catch (IOException e) {
      close();
      throw FileErrors.failure("mount", mountPoint, e);
    }
  }

  /** The folder as it looks through the latency. */
  Path path() {
    return mountPoint;
  }

  /** The process that answers requests. */
  ProcessHandle process() {
    return process.toHandle();
  }

  private void unmount() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        // A process has a file of it open: it is unmounted when that process ends.
        new ProcessBuilder("fusermount3", "-u", "-z", mountPoint.toString())
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start()
            .waitFor();
        process.destroyForcibly();
      }
      Files.delete(mountPoint);
    } catch (IOException e) {
      System.err.println("tandem: cannot unmount " + mountPoint + ": " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The JVM is going down and the hook does it.
      return;
    }
    unmount();
  }
}
