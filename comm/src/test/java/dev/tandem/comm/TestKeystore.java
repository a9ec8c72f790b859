package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.rendezvous.TlsKeys;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A keystore made as the documentation says, by the JDK's keytool. */
public record TestKeystore(Path file) {

  /** The password of all keystores of tests. */
  public static final String PASSWORD = "of-tests-only";

  private static final String VARIABLE = "TEST_PASSWORD";

  /** Makes a keystore with a key of its own. */
  public static TestKeystore make(Path folder, String name) throws IOException {
    return make(folder, name, "-validity", "2");
  }

  /** Makes a keystore with a key of its own and a certificate with these options. */
  public static TestKeystore make(Path folder, String name, String... options) throws IOException {
    TestKeystore keystore = new TestKeystore(folder.resolve(name + ".p12"));
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-genkeypair", "-alias", name, "-dname", "CN=" + name));
    arguments.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
    arguments.addAll(List.of(options));
    keystore.keytool(arguments);
    return keystore;
  }

  private String name() {
    return file.getFileName().toString().replace(".p12", "");
  }

  /** Adds the certificate of another keystore, whose name is that of its file, as trusted. */
  public TestKeystore trusting(TestKeystore other) throws IOException {
    char[] password = PASSWORD.toCharArray();
    try {
      KeyStore own = KeyStore.getInstance(file.toFile(), password);
      KeyStore theirs = KeyStore.getInstance(other.file.toFile(), password);
      own.setCertificateEntry(other.name() + "-trusted", theirs.getCertificate(other.name()));
      try (OutputStream out = Files.newOutputStream(file)) {
        own.store(out, password);
      }
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
    return this;
  }

  /** As {@link #trusting}, by the commands that the documentation names. */
  public TestKeystore importing(TestKeystore other) throws IOException {
    String name = other.name();
    Path certificate = file.resolveSibling(name + "-of-" + file.getFileName() + ".cer");
    other.keytool(List.of("-exportcert", "-alias", name, "-file", certificate.toString()));
    keytool(
        List.of(
            "-importcert", "-noprompt", "-alias", name + "-trusted", "-file", "" + certificate));
    return this;
  }

  /** Adds another key, whose certificate the key that it was made with signs. */
  public void sign(String other) throws IOException {
    String name = name();
    keytool(
        List.of(
            "-genkeypair",
            "-alias",
            other,
            "-dname",
            "CN=" + other,
            "-keyalg",
            "EC",
            "-signer",
            name));
  }

  /** What is in it. */
  public TlsKeys keys() {
    return TlsKeys.read(file, PASSWORD);
  }

  /** What tells a process of it. */
  public Map<String, String> variables() {
    return Map.of(TlsKeys.KEYSTORE, file.toString(), TlsKeys.PASSWORD, PASSWORD);
  }

  private void keytool(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(arguments);
    command.addAll(List.of("-keystore", file.toString(), "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass:env", VARIABLE));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put(VARIABLE, PASSWORD);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.onExit().join().exitValue(), output);
  }
}
