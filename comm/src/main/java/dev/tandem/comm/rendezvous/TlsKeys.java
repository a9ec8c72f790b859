package dev.tandem.comm.rendezvous;

import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The key and certificate with which a process of a job shows itself, and the certificates that it
 * trusts: its own and the trusted ones of its keystore, nothing else. TLS 1.3 only, and both sides
 * show a certificate. Host names do not matter: which rank is at the other end, the job's secret
 * proves. Immutable; does not keep the password.
 */
public final class TlsKeys {

  /** The environment variable that names a PKCS12 keystore. */
  public static final String KEYSTORE = "TANDEM_TLS_KEYSTORE";

  /** The environment variable that holds its password. */
  public static final String PASSWORD = "TANDEM_TLS_PASSWORD";

  private static final String PROTOCOL = "TLSv1.3";

  private final SSLContext context;

  private TlsKeys(SSLContext context) {
    this.context = context;
  }

  /** The keystore that these variables name; empty if they name none. */
  public static Optional<TlsKeys> of(Map<String, String> variables) {
    String file = variables.get(KEYSTORE);
    String password = variables.get(PASSWORD);
    if (file == null && password == null) {
      return Optional.empty();
    }
    if (file == null || password == null) {
      throw new UsageException(
          "%s and %s belong together: set both or none".formatted(KEYSTORE, PASSWORD));
    }
    return Optional.of(read(Path.of(file), password));
  }

  /**
   * Reads a keystore.
   *
   * @throws UsageException if it cannot be read, or holds no key with a certificate valid now
   */
  public static TlsKeys read(Path file, String password) {
    byte[] content;
    try {
      content = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new UsageException("%s: keystore %s does not exist".formatted(KEYSTORE, file));
    } catch (IOException e) {
      String why = FileErrors.reason(e);
      throw new UsageException("%s: cannot read keystore %s (%s)".formatted(KEYSTORE, file, why));
    }
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(new ByteArrayInputStream(content), password.toCharArray());
      checkKey(store, file);
      return new TlsKeys(context(store, password.toCharArray()));
    } catch (IOException e) {
      throw e.getCause() instanceof UnrecoverableKeyException ? wrongPassword(file) : broken(file);
    } catch (UnrecoverableKeyException e) {
      throw wrongPassword(file);
    } catch (GeneralSecurityException e) {
      throw broken(file);
    }
  }

  private static UsageException wrongPassword(Path file) {
    return new UsageException(
        "%s is not the password of keystore %s and its key".formatted(PASSWORD, file));
  }

  private static UsageException broken(Path file) {
    return new UsageException("%s: %s is not a PKCS12 keystore".formatted(KEYSTORE, file));
  }

  private static void checkKey(KeyStore store, Path file) throws GeneralSecurityException {
    boolean found = false;
    for (String alias : Collections.list(store.aliases())) {
      if (store.isKeyEntry(alias) && store.getCertificate(alias) instanceof X509Certificate own) {
        found = true;
        try {
          own.checkValidity();
        } catch (CertificateException e) {
          throw new UsageException(
              "%s: the certificate of '%s' in keystore %s is valid from %s to %s, not now"
                  .formatted(
                      KEYSTORE,
                      alias,
                      file,
                      own.getNotBefore().toInstant(),
                      own.getNotAfter().toInstant()));
        }
      }
    }
    if (!found) {
      throw new UsageException(
          "%s: keystore %s holds no key with a certificate".formatted(KEYSTORE, file));
    }
  }

  private static SSLContext context(KeyStore store, char[] password)
      throws GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, password);
    // Takes the certificates of keys for trusted too.
    TrustManagerFactory trusted = TrustManagerFactory.getInstance("PKIX");
    trusted.init(store);
    SSLContext context = SSLContext.getInstance(PROTOCOL);
    TrustManager[] trust =
        Arrays.stream(trusted.getTrustManagers())
            .map(manager -> new KeystoreTrust((X509ExtendedTrustManager) manager))
            .toArray(TrustManager[]::new);
    context.init(keys.getKeyManagers(), trust, null);
    return context;
  }

  /** One side of a new connection. */
  SSLEngine engine(boolean calling) {
    SSLEngine engine = context.createSSLEngine();
    engine.setEnabledProtocols(new String[] {PROTOCOL});
    engine.setUseClientMode(calling);
    if (!calling) {
      engine.setNeedClientAuth(true);
    }
    return engine;
  }
}
