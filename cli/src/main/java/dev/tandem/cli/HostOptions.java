package dev.tandem.cli;

import dev.tandem.comm.launch.LocalHost;
import dev.tandem.comm.launch.Placement;
import dev.tandem.comm.rendezvous.Addresses;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.topology.HostSlots;
import dev.tandem.core.UsageException;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The options that say on which hosts processes run and how they are started there. */
final class HostOptions {

  @Option(
      names = "--hosts",
      paramLabel = "a:4,b:4",
      description =
          "Hosts and the number of ranks on each, in rank order. localhost and this machine's own"
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
          "Your classes, beside Tandem's own, on every host. Default: the variable CLASSPATH")
  private String classPath;

  /** Whether hosts or a place to meet are named. */
  boolean named() {
    return hosts != null || bind != null;
  }

  /** The hosts of all processes, in rank order, if they are named. */
  Optional<List<String>> hosts() {
    return Optional.ofNullable(hosts).map(text -> HostSlots.parse("--hosts", text));
  }

  /**
   * Where so many processes run.
   *
   * @param size how many, which names their number where hosts do not match it
   * @param given the option that says how many
   */
  Placement placement(int size, String given) {
    List<String> places = hosts().orElseGet(() -> Placement.here(size).hosts());
    if (places.size() != size) {
      throw new UsageException(
          "%s is %d, but --hosts lists %d ranks".formatted(given, size, places.size()));
    }
    return placement(places, new InetSocketAddress(meeting(places), 0), JobSecret.random());
  }

  /** The same processes for a program of the user: where both have a class, it finds its own. */
  Placement ofProgram(Placement placement) {
    return placement.withClassPath(classPath(userClasses(), Placement.here(1).classPath()));
  }

  private static String classPath(String first, String last) {
    return Stream.of(first, last)
        .filter(path -> !path.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Processes on these hosts that meet at this point. */
  Placement placement(List<String> places, InetSocketAddress meetingPoint, JobSecret secret) {
    Placement here = Placement.here(1);
    return new Placement(
        places,
        remoteShell == null
            ? Placement.SSH
            : Stream.of(remoteShell.strip().split("\\s+")).filter(word -> !word.isEmpty()).toList(),
        java == null ? here.java() : java,
        classPath(here.classPath(), userClasses()),
        meetingPoint,
        secret);
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
}
