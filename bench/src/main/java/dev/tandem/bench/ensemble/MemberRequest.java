package dev.tandem.bench.ensemble;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What a member process is to do.
 *
 * @param share where prepared images are shared; empty if the member prepares its own
 * @param member its number
 * @param consumers of the share, which are waited for
 * @param prepares whether it prepares images, too
 * @param part which part of the images it prepares
 * @param parts into how many they are divided; 1 if each prepares what comes next
 * @param together whether members go side by side, instead of each at its own speed
 * @param memory of the share, in bytes
 * @param batch images of a step
 * @param warm images that do not count
 * @param images that do
 * @param rate images per second that it consumes; 0 for as many as it gets
 * @param later images per second after half of them; 0 if the rate stays
 * @param trains whether it trains a network on them
 */
record MemberRequest(
    String share,
    int member,
    int consumers,
    boolean prepares,
    int part,
    int parts,
    boolean together,
    long memory,
    int batch,
    long warm,
    long images,
    double rate,
    double later,
    boolean trains) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A member that prepares its own images, as fast as it can. */
  static MemberRequest alone(long warm, long images) {
    return new MemberRequest(
        "", 0, 1, true, 0, 1, true, 1L << 20, EnsembleImages.BATCH, warm, images, 0, 0, false);
  }

  MemberRequest withRate(double other) {
    return new MemberRequest(
        share, member, consumers, prepares, part, parts, together, memory, batch, warm, images,
        other, later, trains);
  }

  MemberRequest withLater(double other) {
    return new MemberRequest(
        share, member, consumers, prepares, part, parts, together, memory, batch, warm, images,
        rate, other, trains);
  }

  MemberRequest withTraining() {
    return new MemberRequest(
        share, member, consumers, prepares, part, parts, together, memory, batch, warm, images,
        rate, later, true);
  }

  MemberRequest withImages(long warming, long counted) {
    return new MemberRequest(
        share, member, consumers, prepares, part, parts, together, memory, batch, warming, counted,
        rate, later, trains);
  }

  MemberRequest withBatch(int other) {
    return new MemberRequest(
        share, member, consumers, prepares, part, parts, together, memory, other, warm, images,
        rate, later, trains);
  }

  MemberRequest withTogether(boolean other) {
    return new MemberRequest(
        share, member, consumers, prepares, part, parts, other, memory, batch, warm, images, rate,
        later, trains);
  }

  MemberRequest withParts(int own, int all) {
    return new MemberRequest(
        share, member, consumers, prepares, own, all, together, memory, batch, warm, images, rate,
        later, trains);
  }

  MemberRequest withPrepares(boolean other) {
    return new MemberRequest(
        share, member, consumers, other, part, parts, together, memory, batch, warm, images, rate,
        later, trains);
  }

  boolean shares() {
    return !share.isEmpty();
  }

  String line() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static MemberRequest of(String line) {
    try {
      return JSON.readValue(line, MemberRequest.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
