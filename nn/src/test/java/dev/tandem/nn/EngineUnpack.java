package dev.tandem.nn;

import dev.tandem.core.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Unpacks the engine, if need be, and says whether that has loaded it. */
final class EngineUnpack {

  private EngineUnpack() {}

  public static void main(String[] arguments) throws IOException {
    Engine.unpack(Progress.SILENT);
    boolean loaded = Files.readString(Path.of("/proc/self/maps")).contains("libtorch");
    System.out.println("loaded: " + loaded);
  }
}
