package dev.tandem.core;

import java.util.Map;
import java.util.TreeMap;

/**
 * Which code runs in this process.
 *
 * @param tandem version of the packaged product; {@code unpackaged} if it runs from class folders
 * @param commit that it was built from, with {@code -dirty} after it if files were changed since;
 *     empty if nobody knows
 * @param java version of the Java platform
 */
public record CodeVersion(String tandem, String commit, String java) {

  /** The system property by which the launcher tells the commit. */
  public static final String COMMIT = "tandem.commit";

  /** That of this process. */
  public static CodeVersion current() {
    String packaged = CodeVersion.class.getPackage().getImplementationVersion();
    return new CodeVersion(
        packaged == null ? "unpackaged" : packaged,
        System.getProperty(COMMIT, ""),
        System.getProperty("java.version"));
  }

  /** As values of a checkpoint; the commit is left out if it is not known. */
  public Map<String, String> values() {
    Map<String, String> values = new TreeMap<>();
    values.put("code.tandem", tandem);
    values.put("code.java", java);
    if (!commit.isEmpty()) {
      values.put("code.commit", commit);
    }
    return values;
  }
}
