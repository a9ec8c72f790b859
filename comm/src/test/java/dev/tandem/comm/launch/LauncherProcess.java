package dev.tandem.comm.launch;

import java.util.List;

/** A launcher in a process of its own, for tests that end it. */
public final class LauncherProcess {

  private LauncherProcess() {}

  public static void main(String[] arguments) {
    LaunchResult result =
        new ProcessLauncher(
                LaunchPlan.of(2, SummingRank.class.getName(), List.of("0", "-1")),
                RankOutput.prefixed(System.out, System.err),
                System.err::println)
            .run();
    System.exit(result.exitCode());
  }
}
