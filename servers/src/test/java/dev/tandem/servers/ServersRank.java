package dev.tandem.servers;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Level;
import java.io.IOException;
import java.util.Arrays;

/**
 * A process that trains with parameter servers and prints what it ends with. Arguments: staleness,
 * steps, and the rank that dies in the middle, or -1.
 */
public final class ServersRank {

  static final int ELEMENTS = 300_000;

  private ServersRank() {}

  /** Trains; failures are exceptions. */
  public static void main(String[] arguments) {
    int staleness = Integer.parseInt(arguments[0]);
    int steps = Integer.parseInt(arguments[1]);
    int victim = Integer.parseInt(arguments[2]);
    try (Communicator communicator = Communicator.join()) {
      System.out.println("hash " + train(communicator, staleness, steps, victim));
    }
  }

  private static void killMyself() {
    long own = ProcessHandle.current().pid();
    try {
      new ProcessBuilder("kill", "-KILL", Long.toString(own)).start().waitFor();
      Thread.currentThread().join(); // until the signal arrives
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The hash of the parameters that all workers end with. */
  static int train(Communicator communicator, int staleness, int steps, int victim) {
    TestModel model = new TestModel(ELEMENTS);
    ServerLayout layout = Layouts.beside(communicator.size(), 2, Level.NODE);
    ServerSettings settings = new ServerSettings(layout, staleness, TestModel.rule(ELEMENTS));
    try (ParameterServers servers =
        ParameterServers.start(communicator, settings, model.parameters, model.slots())) {
      for (int step = 0; step < steps; step++) {
        if (communicator.rank() == victim && step == steps / 2) {
          killMyself();
        }
        servers.update(model.gradient(communicator.rank(), step), 0.01, model.parameters);
      }
      servers.drain(model.parameters, model.slots());
      servers.finish();
      return Arrays.hashCode(model.values());
    }
  }
}
