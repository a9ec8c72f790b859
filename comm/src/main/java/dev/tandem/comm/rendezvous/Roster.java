package dev.tandem.comm.rendezvous;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** The signed list of where every rank listens, or the signed reason why there will be none. */
final class Roster {

  private static final int MAXIMUM_BYTES = 1 << 20;
  private static final int LABEL_ADDRESSES = 1;
  private static final int LABEL_FAILURE = 2;

  private Roster() {}

  static void send(DataOutputStream out, JobSecret secret, List<String> addresses)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream body = new DataOutputStream(bytes);
    body.writeInt(LABEL_ADDRESSES);
    body.writeInt(addresses.size());
    for (String address : addresses) {
      body.writeUTF(address);
    }
    write(out, secret, bytes.toByteArray());
  }

  static void sendFailure(DataOutputStream out, JobSecret secret, String reason)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream body = new DataOutputStream(bytes);
    body.writeInt(LABEL_FAILURE);
    body.write(reason.getBytes(UTF_8));
    write(out, secret, bytes.toByteArray());
  }

  private static void write(DataOutputStream out, JobSecret secret, byte[] body)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream message = new DataOutputStream(bytes);
    message.writeInt(body.length);
    message.write(body);
    message.write(secret.sign(body));
    out.write(bytes.toByteArray());
  }

  static List<String> receive(Socket socket, JobSecret secret, Deadline deadline)
      throws IOException {
    TimedInput input = new TimedInput(socket, deadline);
    int length = input.readInt();
    if (length < Integer.BYTES || length > MAXIMUM_BYTES) {
      throw new IOException("a list of addresses cannot have " + length + " bytes");
    }
    byte[] body = input.readBytes(length);
    if (!secret.verifies(body, input.readBytes(JobSecret.BYTES))) {
      throw new IOException("the list of addresses is not signed with the secret of this job");
    }
    DataInputStream fields = new DataInputStream(new ByteArrayInputStream(body));
    if (fields.readInt() != LABEL_ADDRESSES) {
      throw new Handshake.RefusedException(new String(fields.readAllBytes(), UTF_8));
    }
    int count = fields.readInt();
    List<String> addresses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      addresses.add(fields.readUTF());
    }
    return addresses;
  }
}
