package dev.tandem.tune.config;

import dev.tandem.core.UsageException;
import dev.tandem.tune.StudySettings.Order;
import dev.tandem.tune.space.Parameters;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** The samples that trainings of a study have in common with others on their host. */
final class DataShare {

  private static final int DIGITS = 16;

  private DataShare() {}

  /** Refuses a study whose trials cannot share. */
  static void check(StudyConfig config) {
    if (!config.shareData()) {
      return;
    }
    if (config.objective().train().isEmpty()) {
      throw new UsageException("share-data is for trainings: expected objective.train");
    }
    if (config.needs().needs().memoryBytes() > 0) {
      throw new UsageException(
          "share-data does not go with needs.memory: shared samples are in no trial's limit");
    }
    if (config.order() == Order.FIXED) {
      throw new UsageException(
          "share-data needs order: arrival, because the order of samples then depends on the speed"
              + " of the trials");
    }
  }

  /**
   * The share of a trial: trials of one study share if no parameter that decides what samples are
   * differs.
   */
  static String name(Path study, Parameters parameters) {
    Map<String, Object> deciding = new TreeMap<>(parameters.values());
    deciding.keySet().removeIf(name -> !name.matches("(data|network)(\\..*)?|seed|determinism.*"));
    return "study-" + digest(study + " " + deciding);
  }

  private static String digest(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JVM has it
    }
  }
}
