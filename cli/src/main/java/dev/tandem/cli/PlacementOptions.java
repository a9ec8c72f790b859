package dev.tandem.cli;

import dev.tandem.comm.launch.LocalHost;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.rendezvous.Addresses;
import dev.tandem.comm.rendezvous.HostSlots;
import dev.tandem.comm.rendezvous.JobFile;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.core.UsageException;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The options that say where ranks run and how they are started there. */
final class PlacementOptions {

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description = "How many processes. Default: what --hosts or --job-file say")
  private Integer ranks;

  @Option(
      names = "--hosts",
      paramLabel = "a:4,b:4",
      description =
          "Hosts and how many ranks each takes, in rank order. localhost and this machine's own"
              + " name need no remote shell.")
  private String hosts;

  @Option(
      names = "--rsh",
      paramLabel = "CMD",
      description =
          "The command that starts a shell on another host: CMD HOST sh. Default: ssh -o"
              + " BatchMode=yes")
  private String remoteShell;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description =
          "The address of this machine where the ranks meet. Default: loopback, or with other hosts"
              + " the address from which the first of them is reached")
  private String bind;

  @Option(
      names = "--java",
      paramLabel = "PATH",
      description = "The Java program, on every host. Default: the one that runs this")
  private String java;

  @Option(
      names = "--class-path",
      paramLabel = "CP",
      description =
          "Your classes, added to Tandem's own, on every host. Default: the variable CLASSPATH")
  private String classPath;

  @Option(
      names = "--job-file",
      paramLabel = "FILE",
      description = "Take ranks, hosts, meeting point and secret from a file; see the manual.")
  private Path jobFile;

  /** The job that the options describe. */
  Placement placement() {
    Optional<JobFile> file = Optional.ofNullable(jobFile).map(JobFile::read);
    if (file.isPresent() && (hosts != null || bind != null)) {
      throw new UsageException("--hosts and --bind stand in the file of --job-file, not beside it");
    }
    Placement here = Placement.here(size(file));
    List<String> places =
        file.map(JobFile::hosts)
            .or(() -> Optional.ofNullable(hosts).map(text -> HostSlots.parse("--hosts", text)))
            .orElse(here.hosts());
    if (places.size() != here.hosts().size()) {
      throw new UsageException(
          "-n %d does not match %s with room for %d ranks"
              .formatted(ranks, file.isPresent() ? "--job-file" : "--hosts", places.size()));
    }
    return new Placement(
        places,
        remoteShell == null
            ? Placement.SSH
            : Stream.of(remoteShell.strip().split("\\s+")).filter(word -> !word.isEmpty()).toList(),
        java == null ? here.java() : java,
        Stream.of(here.classPath(), userClasses())
            .filter(path -> !path.isEmpty())
            .collect(Collectors.joining(File.pathSeparator)),
        file.map(JobFile::rendezvous).orElseGet(() -> new InetSocketAddress(meeting(places), 0)),
        file.map(JobFile::secret).orElseGet(JobSecret::random));
  }

  private int size(Optional<JobFile> file) {
    if (ranks != null) {
      if (ranks < 1 || ranks > HostSlots.MAXIMUM_RANKS) {
        throw new UsageException(
            "-n must be from 1 to %d, not %d".formatted(HostSlots.MAXIMUM_RANKS, ranks));
      }
      return ranks;
    }
    if (file.isPresent()) {
      return file.get().size();
    }
    if (hosts == null) {
      throw new UsageException("how many processes? Give -n N, --hosts or --job-file");
    }
    return HostSlots.parse("--hosts", hosts).size();
  }

  private String userClasses() {
    return classPath != null
        ? classPath
        : Optional.ofNullable(System.getenv("CLASSPATH")).orElse("");
  }

  private InetAddress meeting(List<String> places) {
    if (bind != null) {
      try {
        return Addresses.resolve(bind);
      } catch (UnknownHostException | IllegalArgumentException e) {
        throw new UsageException("--bind: " + e.getMessage());
      }
    }
    return places.stream()
        .filter(host -> !LocalHost.isNamed(host))
        .findFirst()
        .map(LocalHost::towards)
        .orElseGet(InetAddress::getLoopbackAddress);
  }

  /** Whether all ranks run on this machine. */
  boolean allHere(Placement placement) {
    return placement.hosts().stream().allMatch(LocalHost::isNamed);
  }
}
