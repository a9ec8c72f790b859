package dev.tandem.comm.launch;

import java.util.List;

/** A launcher in a process of its own, for tests that end it. */
public final class LauncherProcess {

  private LauncherProcess() {}

  /** The system property that names another program for the ranks. */
  static final String PROGRAM = "launcher.program";

  /**
   * Launches two ranks that sum for ever.
   *
   * @param arguments the program that is the remote shell; without one the ranks are local
   */
  public static void main(String[] arguments) {
    Placement here = Placement.here(2);
    Placement placement =
        arguments.length == 0
            ? here
            : new Placement(
                List.of("a", "b"),
                List.of(arguments),
                here.java(),
                here.classPath(),
                here.meetingPoint(),
                here.secret());
    LaunchResult result =
        new ProcessLauncher(
                LaunchPlan.of(
                    2,
                    System.getProperty(PROGRAM, SummingRank.class.getName()),
                    List.of("0", "-1")),
                placement,
                RankOutput.prefixed(System.out, System.err),
                System.err::println)
            .run();
    System.err.println(result.summary());
    System.exit(result.exitCode());
  }
}
