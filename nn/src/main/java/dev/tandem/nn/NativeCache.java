package dev.tandem.nn;

import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.pytorch.global.torch;

/**
 * The folder where JavaCPP unpacks native libraries, shared by all processes of a user.
 *
 * <p>JavaCPP lets one process load a library that another is still writing, which kills the JVM
 * with SIGBUS. So the first load on a machine holds a lock, and leaves a mark when all is unpacked;
 * with the mark there, nobody waits.
 */
final class NativeCache {

  private NativeCache() {}

  /** Whether everything has been unpacked; if the folder cannot be looked at, it has not. */
  static boolean isComplete() {
    try {
      return Files.exists(mark(Loader.getCacheDir().toPath()));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Runs the work, which loads native libraries and may run twice, when no other process is
   * unpacking them.
   */
  static void whileComplete(Runnable loading) {
    Path folder = null;
    try {
      folder = Loader.getCacheDir().toPath();
      Path mark = mark(folder);
      if (!Files.exists(mark)) {
        unpack(folder.resolve("tandem.lock"), mark, loading);
      }
    } catch (IOException e) {
      throw new WorkFailedException(
          "cannot unpack the compute engine into "
              + (folder == null ? "the user's cache" : folder)
              + " ("
              + e
              + "): make room there, or name another folder with"
              + " -Dorg.bytedeco.javacpp.cachedir=FOLDER",
          e);
    }
    loading.run();
  }

  private static void unpack(Path lock, Path mark, Runnable loading) throws IOException {
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = channel.lock()) {
      if (!Files.exists(mark)) {
        loading.run();
        Files.createFile(mark);
      }
    }
  }

  private static Path mark(Path folder) throws IOException {
    String version = Loader.getVersion("org.bytedeco", "pytorch");
    return folder.resolve("tandem-pytorch-" + version + binding() + ".complete");
  }

  /** Whether the build has bound libtorch of the system, instead of bringing one. */
  static boolean hasBinding() {
    return torch.class.getResource(recipe()) != null;
  }

  /** A binding that was compiled here may change with a build, which says what it is made from. */
  private static String binding() throws IOException {
    try (InputStream in = torch.class.getResourceAsStream(recipe())) {
      if (in == null) {
        return "";
      }
      CRC32 sum = new CRC32();
      sum.update(in.readAllBytes());
      return "-" + Long.toHexString(sum.getValue());
    }
  }

  private static String recipe() {
    return "/org/bytedeco/pytorch/" + Loader.getPlatform() + "/binding.txt";
  }
}
