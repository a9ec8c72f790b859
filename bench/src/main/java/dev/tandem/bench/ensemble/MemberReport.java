package dev.tandem.bench.ensemble;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What a member process has measured, between its last warming image and its last one.
 *
 * @param seconds for the images that count
 * @param cpuSeconds of the process, without those of training
 * @param trainCpuSeconds of the thread that trains, while it trains
 * @param images that counted
 * @param passes over all images that were complete, from the first image on
 * @param exact whether every complete pass had every image once
 * @param alone images that it prepared for itself alone although it shares
 * @param memory of the share, in bytes
 */
record MemberReport(
    double seconds,
    double cpuSeconds,
    double trainCpuSeconds,
    long images,
    long passes,
    boolean exact,
    long alone,
    long memory) {

  private static final ObjectMapper JSON = new ObjectMapper();

  double imagesPerSecond() {
    return images / seconds;
  }

  String line() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static MemberReport of(String line) {
    try {
      return JSON.readValue(line, MemberReport.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
