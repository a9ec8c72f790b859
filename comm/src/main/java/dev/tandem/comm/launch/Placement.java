package dev.tandem.comm.launch;

import static java.util.stream.Collectors.toSet;

import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.core.UsageException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * On which hosts the ranks of a job run and how they are started there.
 *
 * @param hosts the host of every rank
 * @param remoteShell the words of the command that runs another on a host whose name follows, such
 *     as {@code ssh}; not used for ranks on this machine
 * @param java the Java program, on every host
 * @param classPath the class path, on every host
 * @param meetingPoint where the launcher waits for the ranks; port 0 stands for a free one
 * @param secret of the job
 */
public record Placement(
    List<String> hosts,
    List<String> remoteShell,
    String java,
    String classPath,
    InetSocketAddress meetingPoint,
    JobSecret secret) {

  /** Never asks for a password, for nobody would see the question. */
  public static final List<String> SSH = List.of("ssh", "-o", "BatchMode=yes");

  public Placement {
    hosts = List.copyOf(hosts);
    remoteShell = List.copyOf(remoteShell);
    if (remoteShell.isEmpty()) {
      throw new UsageException("a remote shell needs the words of a command");
    }
    LocalCapacity.here().check(ranksHere(hosts));
  }

  /** All ranks on this machine, with its Java and class path, meeting on the loopback interface. */
  public static Placement here(int ranks) {
    return new Placement(
        Collections.nCopies(ranks, JobEnvironment.ONE_HOST),
        SSH,
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        System.getProperty("java.class.path"),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        JobSecret.random());
  }

  /** The same with this class path instead. */
  public Placement withClassPath(String other) {
    return new Placement(hosts, remoteShell, java, other, meetingPoint, secret);
  }

  /** How many ranks run on the machine of this one. */
  int neighbours(int rank) {
    return remote(rank)
        ? Collections.frequency(hosts, hosts.get(rank))
        : Math.toIntExact(ranksHere(hosts));
  }

  private static long ranksHere(List<String> hosts) {
    Set<String> here = hosts.stream().distinct().filter(LocalHost::isNamed).collect(toSet());
    return hosts.stream().filter(here::contains).count();
  }

  /** Whether a rank needs the remote shell. */
  boolean remote(int rank) {
    return !LocalHost.isNamed(hosts.get(rank));
  }
}
