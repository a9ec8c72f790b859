package dev.tandem.comm.rendezvous;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The 32 random bytes that all ranks of one job share and nobody else knows. They travel in the
 * environment of child processes, never on a command line; printing a secret does not show it.
 */
public final class JobSecret {

  /** Bytes of a secret, and of every nonce and signature. */
  static final int BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] bytes;

  private JobSecret(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("a job secret has " + BYTES + " bytes");
    }
    this.bytes = bytes;
  }

  /** A new secret from the system's secure source. */
  public static JobSecret random() {
    return new JobSecret(nonce());
  }

  /** The secret that {@link #hex()} wrote. */
  public static JobSecret ofHex(String hex) {
    return new JobSecret(HexFormat.of().parseHex(hex));
  }

  /** The secret as text, for an environment variable. */
  public String hex() {
    return HexFormat.of().formatHex(bytes);
  }

  /** The secret of one generation of a job: those of another are strangers there. */
  public JobSecret ofGeneration(int generation) {
    return new JobSecret(sign(("tandem generation " + generation).getBytes(UTF_8)));
  }

  /** Fresh random bytes that make a signature good for one connection only. */
  static byte[] nonce() {
    byte[] nonce = new byte[BYTES];
    new SecureRandom().nextBytes(nonce);
    return nonce;
  }

  /** The signature of a message. */
  byte[] sign(byte[] message) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(bytes, ALGORITHM));
      return mac.doFinal(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  /** Whether the signature belongs to the message; takes the same time whatever the answer. */
  boolean verifies(byte[] message, byte[] signature) {
    return MessageDigest.isEqual(sign(message), signature);
  }

  @Override
  public String toString() {
    return "JobSecret[hidden]";
  }
}
