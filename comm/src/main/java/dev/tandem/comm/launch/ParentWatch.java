package dev.tandem.comm.launch;

import dev.tandem.core.ExitCode;
import dev.tandem.posix.SharedMemoryFile;
import java.io.IOException;
import java.io.InputStream;

/**
 * Ends this process when its launcher is gone, however that came about: standard input is a pipe
 * that only the launcher holds open, so its end is the launcher's end. On another host, which no
 * signal of the launcher reaches, a byte from it stands for SIGTERM.
 */
public final class ParentWatch {

  /** Asks the process to end in order; may come more than once. */
  static final int TERMINATE = 'T';

  /** What shells report of a process that ends after SIGTERM. */
  private static final int TERMINATED = 143;

  private ParentWatch() {}

  /** Starts to watch; standard input must not be read by anything else from now on. */
  public static void start() {
    Thread.ofPlatform().daemon().name("tandem-parent-watch").start(ParentWatch::watch);
  }

  private static void watch() {
    InputStream pipe = System.in;
    boolean asked = false;
    try {
      int read = pipe.read();
      while (read >= 0) {
        if (read == TERMINATE && !asked) {
          asked = true;
          // In a thread of its own, for the launcher may still be lost while shutdown hooks run.
          Thread.ofPlatform().name("tandem-terminate").start(() -> System.exit(TERMINATED));
        }
        read = pipe.read();
      }
    } catch (IOException e) {
      // A broken pipe is an end too.
    }
    SharedMemoryFile.unlinkAll();
    // Not exit(): shutdown hooks could wait for peers that wait for us.
    Runtime.getRuntime().halt(ExitCode.INTERRUPTED.code());
  }
}
