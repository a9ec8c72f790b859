package dev.tandem.comm.rendezvous;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.TestKeystore;
import dev.tandem.core.UsageException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keystores that do not serve are refused in one line that says why. */
class TlsKeysTest {

  @TempDir Path folder;

  private static void refused(String why, Path file, String password) {
    UsageException e =
        assertThrows(
            UsageException.class,
            () ->
                TlsKeys.of(Map.of(TlsKeys.KEYSTORE, file.toString(), TlsKeys.PASSWORD, password)));
    assertTrue(e.getMessage().contains(why), e.getMessage());
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
    assertFalse(e.getMessage().contains(password), e.getMessage());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  @Test
  void noVariablesNoTls() {
    assertEquals(Optional.empty(), TlsKeys.of(Map.of()));
  }

  @Test
  void oneVariableIsNotEnough() {
    for (String name : new String[] {TlsKeys.KEYSTORE, TlsKeys.PASSWORD}) {
      UsageException e =
          assertThrows(UsageException.class, () -> TlsKeys.of(Map.of(name, "anything")));
      assertEquals(
          "TANDEM_TLS_KEYSTORE and TANDEM_TLS_PASSWORD belong together: set both or none",
          e.getMessage());
    }
  }

  @Test
  void filesThatAreNoKeystores() throws Exception {
    refused("does not exist", folder.resolve("nothing.p12"), "secret-1");
    refused("cannot read keystore", folder, "secret-1");
    Path text = Files.writeString(folder.resolve("text.p12"), "This is not a keystore at all.");
    refused("is not a PKCS12 keystore", text, "secret-1");
    Path empty = Files.createFile(folder.resolve("empty.p12"));
    refused("is not a PKCS12 keystore", empty, "secret-1");
  }

  @Test
  void aKeystoreWithAKeyServesWithItsPasswordOnly() throws Exception {
    TestKeystore keystore = TestKeystore.make(folder, "good");
    assertTrue(TlsKeys.of(keystore.variables()).isPresent());
    refused("is not the password", keystore.file(), "secret-1");
  }

  @Test
  void aKeystoreWithoutAKey() throws Exception {
    Path file = folder.resolve("bare.p12");
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, TestKeystore.PASSWORD.toCharArray());
    }
    refused("holds no key with a certificate", file, TestKeystore.PASSWORD);
    new TestKeystore(file).trusting(TestKeystore.make(folder, "other"));
    refused("holds no key with a certificate", file, TestKeystore.PASSWORD);
  }

  @Test
  void aCertificateThatHasExpired() throws Exception {
    TestKeystore old = TestKeystore.make(folder, "old", "-startdate", "-10d", "-validity", "5");
    refused("the certificate of 'old'", old.file(), TestKeystore.PASSWORD);
  }
}
