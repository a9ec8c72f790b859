package dev.tandem.tune.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Which process this is, for sure: numbers are used again, a number with its start is not. */
public final class ProcessIdentity {

  /** Fields of a process's line after its name, which may hold blanks itself. */
  private static final int START_AFTER_NAME = 19;

  private ProcessIdentity() {}

  /** When a process began, in the kernel's ticks since the machine started; 0 if there is none. */
  public static long start(long process) {
    try {
      String line = Files.readString(proc(process).resolve("stat"), StandardCharsets.ISO_8859_1);
      String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
      return Long.parseLong(fields[START_AFTER_NAME]);
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }

  /** When this process began. */
  public static long ownStart() {
    return start(ProcessHandle.current().pid());
  }

  /**
   * Ends a process that an earlier driver left, with those it started, if it is still that one.
   *
   * @param variable what must be in its environment, such as {@code TANDEM_TRIAL=7}
   */
  public static void endLeftOver(long process, long start, String variable) {
    if (start == 0 || start(process) != start || !hasVariable(process, variable)) {
      return;
    }
    Optional<ProcessHandle> handle = ProcessHandle.of(process);
    handle.stream().flatMap(ProcessHandle::descendants).forEach(ProcessHandle::destroyForcibly);
    handle.ifPresent(ProcessHandle::destroyForcibly);
  }

  private static boolean hasVariable(long process, String variable) {
    try {
      byte[] bytes = Files.readAllBytes(proc(process).resolve("environ"));
      String environment = "\0" + new String(bytes, StandardCharsets.UTF_8) + "\0";
      return environment.contains("\0" + variable + "\0");
    } catch (IOException e) {
      return false;
    }
  }

  private static Path proc(long process) {
    return Path.of("/proc", Long.toString(process));
  }
}
