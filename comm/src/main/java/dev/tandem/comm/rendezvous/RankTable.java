package dev.tandem.comm.rendezvous;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The signed list of where every rank is and listens, or the signed reason why there will be none.
 */
final class RankTable {

  private static final int LABEL_ADDRESSES = 1;
  private static final int LABEL_FAILURE = 2;

  private RankTable() {}

  /**
   * One line of the list.
   *
   * @param address where the rank listens
   * @param host the name of the host it runs on
   */
  record RankAddress(String address, String host) {}

  static void send(Link link, JobSecret secret, List<RankAddress> addresses) throws IOException {
    SignedMessage.send(
        link,
        secret,
        body -> {
          body.writeInt(LABEL_ADDRESSES);
          body.writeInt(addresses.size());
          for (RankAddress rank : addresses) {
            body.writeUTF(rank.address());
            body.writeUTF(rank.host());
          }
        });
  }

  static void sendFailure(Link link, JobSecret secret, String reason) throws IOException {
    SignedMessage.send(
        link,
        secret,
        body -> {
          body.writeInt(LABEL_FAILURE);
          body.write(reason.getBytes(UTF_8));
        });
  }

  static List<RankAddress> receive(Link link, JobSecret secret, Deadline deadline)
      throws IOException {
    byte[] body = SignedMessage.receive(link, secret, deadline);
    DataInputStream fields = new DataInputStream(new ByteArrayInputStream(body));
    if (fields.readInt() != LABEL_ADDRESSES) {
      throw new Handshake.RefusedException(new String(fields.readAllBytes(), UTF_8));
    }
    int count = fields.readInt();
    List<RankAddress> addresses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      addresses.add(new RankAddress(fields.readUTF(), fields.readUTF()));
    }
    return addresses;
  }
}
