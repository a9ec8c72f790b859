package dev.tandem.comm.launch;

import dev.tandem.core.ExitCode;
import dev.tandem.posix.SharedMemoryFile;
import java.io.IOException;
import java.io.InputStream;

/**
 * Ends this process when its launcher is gone, however that came about: standard input is a pipe
 * that only the launcher holds open, so its end is the launcher's end.
 */
public final class ParentWatch {

  private ParentWatch() {}

  /** Starts to watch; standard input must not be read by anything else from now on. */
  public static void start() {
    Thread.ofPlatform().daemon().name("tandem-parent-watch").start(ParentWatch::watch);
  }

  private static void watch() {
    InputStream pipe = System.in;
    try {
      while (pipe.read() >= 0) {
        // The launcher writes nothing; whatever comes is not its end.
      }
    } catch (IOException e) {
      // A broken pipe is an end too.
    }
    SharedMemoryFile.unlinkAll();
    // Not exit(): shutdown hooks could wait for peers that wait for us.
    Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code());
  }
}
