package dev.tandem.comm.launch;

import dev.tandem.comm.rendezvous.Addresses;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.core.UsageException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** What this machine is called, and by which of its addresses others reach it. */
public final class LocalHost {

  private static final int ANY_PORT = 9;

  private LocalHost() {}

  /** Whether a list of hosts means this machine by the name: processes start here directly. */
  public static boolean isNamed(String name) {
    if (name.equals(JobEnvironment.ONE_HOST)) {
      return true;
    }
    try {
      String own = InetAddress.getLocalHost().getHostName();
      return name.equals(own) || name.equals(own.replaceAll("\\..*", ""));
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /**
   * The address of this machine from which another host is reached.
   *
   * @param host a name that this machine can resolve, perhaps with the user to log in as before it
   * @throws UsageException if it cannot be resolved or there is no way to it
   */
  public static InetAddress towards(String host) {
    String name = host.substring(host.indexOf('@') + 1);
    // Connecting a datagram socket asks the routing table and sends nothing.
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(Addresses.resolve(name), ANY_PORT));
      return socket.getLocalAddress();
    } catch (UnknownHostException e) {
      throw new UsageException(e.getMessage() + "; correct it, or give --bind ADDRESS");
    } catch (IOException | RuntimeException e) {
      throw new UsageException(
          "there is no way from here to host '%s' (%s); correct it, or give --bind ADDRESS"
              .formatted(name, e.getMessage()));
    }
  }
}
