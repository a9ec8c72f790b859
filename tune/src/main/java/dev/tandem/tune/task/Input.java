package dev.tandem.tune.task;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A file that a program finds in the folder {@code inputs} of its attempt; once on each node. */
public sealed interface Input {

  /** Its name there. */
  String name();

  /** The SHA-256 of what it holds, in hexadecimal digits: by this a node knows that it has it. */
  String digest();

  /** A file that is there now, under this path. */
  static FromFile file(String name, Path path) {
    MessageDigest digest = sha256();
    try (InputStream in = new DigestInputStream(Files.newInputStream(path), digest)) {
      var _ = in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw FileErrors.failure("read", path, e);
    }
    return new FromFile(name, path.toAbsolutePath(), HexFormat.of().formatHex(digest.digest()));
  }

  /** Bytes that are sent with the task, and not to be changed. */
  static FromBytes bytes(String name, byte[] bytes) {
    return new FromBytes(name, bytes, HexFormat.of().formatHex(sha256().digest(bytes)));
  }

  /** A digest to be filled. */
  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JVM has it
    }
  }

  /** A file that every node sees under this path, or that is sent there. */
  record FromFile(String name, Path path, String digest) implements Input {}

  /**
   * Bytes that are sent with the task.
   *
   * @param bytes owned by this record: not to be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // Compared by name only, where at all.
  record FromBytes(String name, byte[] bytes, String digest) implements Input {}
}
