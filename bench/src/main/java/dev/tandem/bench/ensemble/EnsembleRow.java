package dev.tandem.bench.ensemble;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * One result of {@code tandem bench ensemble}, medians of rounds. What a row does not measure is
 * null and stays out of JSON.
 *
 * @param study {@code cost}, {@code peak}, {@code slowdown}, {@code unequal}, {@code exact} or
 *     {@code adaptive}
 * @param pipeline by its word
 * @param consumer how fast members consume, as a share of what one process prepares; {@code train}
 *     or {@code drain}
 * @param cpuSecondsPer1000 of all processes, for 1,000 images delivered to each member, without
 *     training
 * @param trainCpuSeconds of training, likewise
 * @param peakImagesPerSecond that each member can get at most, with 0.4 cores for each
 * @param imagesPerSecond that each member got
 * @param ratio of the figure of the study to its baseline: of processor time to that of duplicated;
 *     of a rate to that of a member alone
 * @param cores limit of each member; 0 for none
 * @param exact whether every member got every image once in each of its passes
 * @param note what was done to the members, in words
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EnsembleRow(
    String study,
    String pipeline,
    int members,
    String consumer,
    Double cpuSecondsPer1000,
    Double trainCpuSeconds,
    Double peakImagesPerSecond,
    Double imagesPerSecond,
    Double ratio,
    double cores,
    boolean exact,
    int rounds,
    String note,
    String machine) {

  /** The same with the peak of its pipeline and number of members, if that was measured. */
  EnsembleRow withPeak(List<EnsembleRow> peaks) {
    return peaks.stream()
        .filter(peak -> peak.pipeline.equals(pipeline) && peak.members == members)
        .findFirst()
        .filter(_ -> study.equals("cost"))
        .map(
            peak ->
                new EnsembleRow(
                    study,
                    pipeline,
                    members,
                    consumer,
                    cpuSecondsPer1000,
                    trainCpuSeconds,
                    peak.peakImagesPerSecond,
                    imagesPerSecond,
                    ratio,
                    cores,
                    exact,
                    rounds,
                    note,
                    machine))
        .orElse(this);
  }
}
