package dev.tandem.cli;

import dev.tandem.comm.launch.LocalHost;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.rendezvous.JobFile;
import dev.tandem.comm.topology.HostSlots;
import dev.tandem.core.UsageException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say how many ranks a job has, where they run and how they are started there. */
final class PlacementOptions {

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description = "Number of processes. Default: as --hosts or --job-file say")
  private Integer ranks;

  @Mixin private HostOptions hosts;

  @Option(
      names = "--job-file",
      paramLabel = "FILE",
      description = "Take ranks, hosts, meeting point and secret from a file; see the manual.")
  private Path jobFile;

  /** The job that the options describe. */
  Placement placement() {
    return hosts.ofProgram(
        jobFile == null ? hosts.placement(size(), "-n") : placement(JobFile.read(jobFile)));
  }

  private Placement placement(JobFile file) {
    if (hosts.named()) {
      throw new UsageException("set hosts and bind in the job file, not on the command line");
    }
    if (ranks != null && checked(ranks) != file.size()) {
      throw new UsageException(
          "-n is %d, but --job-file has %d ranks".formatted(ranks, file.size()));
    }
    return hosts.placement(file.hosts(), file.rendezvous(), file.secret());
  }

  private int size() {
    if (ranks != null) {
      return checked(ranks);
    }
    return hosts
        .hosts()
        .map(List::size)
        .orElseThrow(() -> new UsageException("expected -n N, --hosts or --job-file"));
  }

  private static int checked(int number) {
    if (number < 1 || number > HostSlots.MAXIMUM_RANKS) {
      throw new UsageException(
          "-n must be from 1 to %d: %d".formatted(HostSlots.MAXIMUM_RANKS, number));
    }
    return number;
  }

  /** Whether all ranks run on this machine. */
  boolean allHere(Placement placement) {
    return placement.hosts().stream().allMatch(LocalHost::isNamed);
  }
}
