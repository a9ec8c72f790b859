package dev.tandem.bench.tune;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One result of {@code tandem bench tune}.
 *
 * @param measure overhead (trials per second), suggest (seconds of processor time per trial),
 *     regret, regret-variant, regret-optuna-4 (medians over seeds), time-to-target, efficiency,
 *     affinity (cores), tracing
 * @param name of the case
 * @param tandem our figure
 * @param peer the other one, if there is one
 * @param ratio ours over theirs
 * @param peerFailed whether the peer lost trials or workers: then its figure says nothing
 */
public record TuneRow(
    String measure,
    @JsonProperty("case") String name,
    double tandem,
    Double peer,
    Double ratio,
    boolean peerFailed) {

  static TuneRow of(String measure, String name, double tandem, double peer) {
    return new TuneRow(measure, name, tandem, peer, tandem / peer, false);
  }
}
