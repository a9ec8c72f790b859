package dev.tandem.comm.rendezvous;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** What the launcher says after the handshake: its length, itself, and its signature. */
final class SignedMessage {

  private static final int MAXIMUM_BYTES = 1 << 20;

  private SignedMessage() {}

  /** Writes the fields of a message. */
  interface Body {
    void write(DataOutputStream out) throws IOException;
  }

  static void send(Link link, JobSecret secret, Body body) throws IOException {
    ByteArrayOutputStream fields = new ByteArrayOutputStream();
    body.write(new DataOutputStream(fields));
    byte[] content = fields.toByteArray();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream message = new DataOutputStream(bytes);
    message.writeInt(content.length);
    message.write(content);
    message.write(secret.sign(content));
    link.write(bytes.toByteArray());
  }

  /**
   * The fields of the next message.
   *
   * @throws IOException also if it is too long or not signed with the secret
   */
  static byte[] receive(Link link, JobSecret secret, Deadline deadline) throws IOException {
    TimedInput input = new TimedInput(link, deadline);
    int length = input.readInt();
    if (length < 1 || length > MAXIMUM_BYTES) {
      throw new IOException("a message of the launcher cannot have " + length + " bytes");
    }
    byte[] content = input.readBytes(length);
    if (!secret.verifies(content, input.readBytes(JobSecret.BYTES))) {
      throw new IOException("a message is not signed with the secret of this job");
    }
    return content;
  }
}
