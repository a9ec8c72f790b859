package dev.tandem.nn;

import dev.tandem.core.WorkFailedException;

/** Starts the engine and says how it went. */
final class EngineStart {

  private EngineStart() {}

  public static void main(String[] arguments) {
    try {
      System.out.println("threads: " + Engine.start(1).threads());
    } catch (WorkFailedException e) {
      System.out.println("failed: " + e.getMessage());
    }
  }
}
