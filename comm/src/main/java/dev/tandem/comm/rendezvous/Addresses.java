package dev.tandem.comm.rendezvous;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Socket addresses as {@code host:port}; the last colon separates, so IPv6 needs no brackets. */
public final class Addresses {

  private Addresses() {}

  public static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  public static InetSocketAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    try {
      int port = Integer.parseInt(text.substring(colon + 1));
      return new InetSocketAddress(resolve(text.substring(0, colon)), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e.getMessage());
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("'" + text + "' is not an address of the form host:port");
    }
  }

  /**
   * The address of a host or interface.
   *
   * @throws UnknownHostException with a message that says which name could not be resolved
   */
  public static InetAddress resolve(String host) throws UnknownHostException {
    if (host.isBlank()) {
      // Java takes an empty name for the loopback interface.
      throw new IllegalArgumentException("no host");
    }
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new UnknownHostException("the name of host '" + host + "' cannot be resolved");
    }
  }
}
