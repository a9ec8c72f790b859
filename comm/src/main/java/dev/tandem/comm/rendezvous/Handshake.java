package dev.tandem.comm.rendezvous;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;

/**
 * The first bytes on every connection of a job, inside TLS if it has that: both sides prove that
 * they know the job's secret before either believes a word.
 *
 * <ol>
 *   <li>acceptor: magic, version, its rank (-1: the meeting point, -2: the launcher), nonce
 *   <li>initiator: magic, version, its rank, the job's size, the lane, nonce, the address where it
 *       listens, the name of its host, signature over all of it and the acceptor's nonce
 *   <li>acceptor: verdict; if accepted, its signature over both nonces, else the reason
 * </ol>
 *
 * The two signatures carry different labels, so neither can be played back as the other. Messages
 * are of bounded size and the deadline holds for the whole exchange, not for each read.
 */
public final class Handshake {

  /** The rank that the meeting point gives as its own. */
  public static final int MEETING_POINT = -1;

  /** The rank that a launcher gives as its own on the lines of {@link GenerationHost}. */
  public static final int GENERATIONS = -2;

  private static final int MAGIC = 0x54414e44;
  private static final int VERSION = 2;
  private static final int TLS_ALERT = 0x1503;
  private static final int TLS_HANDSHAKE = 0x1603;
  private static final int MAXIMUM_TEXT = 255;
  private static final byte ACCEPTED = 0;
  private static final byte REFUSED = 1;

  private Handshake() {}

  /**
   * Who the initiator says it is; proven once the handshake returned.
   *
   * @param address where it listens
   * @param host the name of the host it runs on
   * @param lane which of the connections between the two ranks this is, from 0
   */
  public record Introduction(int rank, int size, String address, String host, int lane) {

    /** What a rank says of itself. */
    public static Introduction of(JobEnvironment job, InetSocketAddress listening, int lane) {
      return new Introduction(job.rank(), job.size(), Addresses.text(listening), job.host(), lane);
    }
  }

  /** A connection was turned away; the message says why. */
  public static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String reason) {
      super(reason);
    }
  }

  /**
   * Plays the accepting side.
   *
   * @param objection a reason to refuse an initiator that has proven itself
   */
  public static Introduction accept(
      Link link,
      JobSecret secret,
      int myRank,
      Deadline deadline,
      Function<Introduction, Optional<String>> objection)
      throws IOException {
    byte[] myNonce = JobSecret.nonce();
    link.write(greeting(myRank, myNonce));
    TimedInput input = new TimedInput(link, deadline);
    checkProtocol(input);
    int rank = input.readInt();
    int size = input.readInt();
    int lane = input.readInt();
    byte[] nonce = input.readBytes(JobSecret.BYTES);
    byte[] address = input.readBytes(input.readByte() & 0xff);
    byte[] host = input.readBytes(input.readByte() & 0xff);
    byte[] signature = input.readBytes(JobSecret.BYTES);
    Introduction introduction =
        new Introduction(rank, size, new String(address, UTF_8), new String(host, UTF_8), lane);
    Optional<String> refusal =
        secret.verifies(claim(myRank, myNonce, introduction, nonce), signature)
            ? objection.apply(introduction)
            : Optional.of("it does not know the secret of this job");
    if (refusal.isPresent()) {
      byte[] reason = bounded(refusal.get());
      link.write(
          message(
              out -> {
                out.writeByte(REFUSED);
                out.writeByte(reason.length);
                out.write(reason);
              }));
      throw new RefusedException("rank " + rank + ": " + refusal.get());
    }
    link.write(
        message(
            out -> {
              out.writeByte(ACCEPTED);
              out.write(secret.sign(answer(myRank, myNonce, introduction, nonce)));
            }));
    return introduction;
  }

  /**
   * Plays the initiating side.
   *
   * @param theirRank who must be at the other end
   * @throws RefusedException if the other side turned us away or could not prove itself
   */
  public static void initiate(
      Link link, JobSecret secret, int theirRank, Introduction me, Deadline deadline)
      throws IOException {
    TimedInput input = new TimedInput(link, deadline);
    checkProtocol(input);
    int rank = input.readInt();
    byte[] nonce = input.readBytes(JobSecret.BYTES);
    if (rank != theirRank) {
      throw new RefusedException("rank %d answered for rank %d".formatted(rank, theirRank));
    }
    byte[] myNonce = JobSecret.nonce();
    byte[] address = bounded(me.address());
    byte[] host = bounded(me.host());
    link.write(
        message(
            out -> {
              out.writeInt(MAGIC);
              out.writeInt(VERSION);
              out.writeInt(me.rank());
              out.writeInt(me.size());
              out.writeInt(me.lane());
              out.write(myNonce);
              out.writeByte(address.length);
              out.write(address);
              out.writeByte(host.length);
              out.write(host);
              out.write(secret.sign(claim(rank, nonce, me, myNonce)));
            }));
    if (input.readByte() != ACCEPTED) {
      throw new RefusedException(new String(input.readBytes(input.readByte() & 0xff), UTF_8));
    }
    if (!secret.verifies(answer(rank, nonce, me, myNonce), input.readBytes(JobSecret.BYTES))) {
      throw new RefusedException("the other side does not know the secret of this job");
    }
  }

  private static byte[] greeting(int rank, byte[] nonce) throws IOException {
    return message(
        out -> {
          out.writeInt(MAGIC);
          out.writeInt(VERSION);
          out.writeInt(rank);
          out.write(nonce);
        });
  }

  private static byte[] claim(int acceptor, byte[] theirs, Introduction me, byte[] mine)
      throws IOException {
    return transcript("tandem initiator", acceptor, theirs, me, mine);
  }

  private static byte[] answer(int acceptor, byte[] mine, Introduction them, byte[] theirs)
      throws IOException {
    return transcript("tandem acceptor", acceptor, mine, them, theirs);
  }

  private static byte[] transcript(
      String label, int acceptor, byte[] acceptorNonce, Introduction initiator, byte[] nonce)
      throws IOException {
    return message(
        out -> {
          out.writeUTF(label);
          out.writeInt(VERSION);
          out.writeInt(acceptor);
          out.write(acceptorNonce);
          out.writeInt(initiator.rank());
          out.writeInt(initiator.size());
          out.writeInt(initiator.lane());
          out.writeUTF(initiator.address());
          out.writeUTF(initiator.host());
          out.write(nonce);
        });
  }

  private static void checkProtocol(TimedInput input) throws IOException {
    int magic = input.readInt();
    if (magic >>> 16 == TLS_HANDSHAKE || magic >>> 16 == TLS_ALERT) {
      throw new RefusedException("the other side speaks TLS: " + TlsLink.ALL_OR_NONE);
    }
    if (magic != MAGIC) {
      throw new RefusedException("it does not speak Tandem's protocol");
    }
    int version = input.readInt();
    if (version != VERSION) {
      throw new RefusedException("it speaks version %d, not %d".formatted(version, VERSION));
    }
  }

  private static byte[] bounded(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return bytes.length <= MAXIMUM_TEXT ? bytes : Arrays.copyOf(bytes, MAXIMUM_TEXT);
  }

  private interface Writer {
    void write(DataOutputStream out) throws IOException;
  }

  private static byte[] message(Writer writer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    writer.write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }
}
