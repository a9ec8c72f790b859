package dev.tandem.nn;

import dev.tandem.core.WorkFailedException;
import java.nio.file.Path;

/** Starts the engine, from a folder if one is named, and says how it went. */
final class EngineStart {

  private EngineStart() {}

  public static void main(String[] arguments) {
    try {
      if (arguments.length > 0) {
        Engine.use(Path.of(arguments[0]));
      }
      System.out.println("threads: " + Engine.start(1).threads() + " " + Engine.description());
    } catch (WorkFailedException e) {
      System.out.println("failed: " + e.getMessage());
    }
  }
}
