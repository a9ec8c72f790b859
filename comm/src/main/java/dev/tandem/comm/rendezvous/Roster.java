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
final class Roster {

  private static final int LABEL_SEATS = 1;
  private static final int LABEL_FAILURE = 2;

  private Roster() {}

  /**
   * One line of the list.
   *
   * @param address where the rank listens
   * @param host the name of the host it runs on
   */
  record Seat(String address, String host) {}

  static void send(Link link, JobSecret secret, List<Seat> seats) throws IOException {
    SignedMessage.send(
        link,
        secret,
        body -> {
          body.writeInt(LABEL_SEATS);
          body.writeInt(seats.size());
          for (Seat seat : seats) {
            body.writeUTF(seat.address());
            body.writeUTF(seat.host());
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

  static List<Seat> receive(Link link, JobSecret secret, Deadline deadline) throws IOException {
    byte[] body = SignedMessage.receive(link, secret, deadline);
    DataInputStream fields = new DataInputStream(new ByteArrayInputStream(body));
    if (fields.readInt() != LABEL_SEATS) {
      throw new Handshake.RefusedException(new String(fields.readAllBytes(), UTF_8));
    }
    int count = fields.readInt();
    List<Seat> seats = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      seats.add(new Seat(fields.readUTF(), fields.readUTF()));
    }
    return seats;
  }
}
