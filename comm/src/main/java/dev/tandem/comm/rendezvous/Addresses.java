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
      return new InetSocketAddress(InetAddress.getByName(text.substring(0, colon)), port);
    } catch (UnknownHostException | RuntimeException e) {
      throw new IllegalArgumentException("'" + text + "' is not an address of the form host:port");
    }
  }
}
