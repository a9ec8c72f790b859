package dev.tandem.comm.rendezvous;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts what a keystore trusts, as long as it has not expired, which Java does not ask of
 * certificates that are trusted themselves. Names no issuers to the other side: it has one
 * certificate to show and shall show it, for a refusal says more than silence.
 */
final class KeystoreTrust extends X509ExtendedTrustManager {

  private final X509ExtendedTrustManager trusted;

  KeystoreTrust(X509ExtendedTrustManager trusted) {
    this.trusted = trusted;
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    trusted.checkClientTrusted(chain, type, engine);
    chain[0].checkValidity();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    trusted.checkServerTrusted(chain, type, engine);
    chain[0].checkValidity();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    trusted.checkClientTrusted(chain, type, socket);
    chain[0].checkValidity();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    trusted.checkServerTrusted(chain, type, socket);
    chain[0].checkValidity();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    trusted.checkClientTrusted(chain, type);
    chain[0].checkValidity();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    trusted.checkServerTrusted(chain, type);
    chain[0].checkValidity();
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
