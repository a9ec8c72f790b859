package dev.tandem.nn;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Unpacks the engine, if need be, and says whether that has loaded it. */
final class EngineUnpack {

  private EngineUnpack() {}

  public static void main(String[] arguments) throws IOException {
    Engine.unpack();
    boolean loaded = Files.readString(Path.of("/proc/self/maps")).contains("libtorch");
    System.out.println("loaded: " + loaded);
  }
}
