package dev.tandem.oracle.published;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.Map;

/**
 * How well the measurements of a file are projected.
 *
 * @param score of times of iterations
 * @param apart scores that do not count in it, by what sets them apart: a network suspected to have
 *     been busy with the traffic of others; times of epochs
 * @param unscored times of iterations that cannot be projected: file and line, what, and why
 * @param otherRows rows of other quantities
 */
public record CampaignScore(
    @JsonUnwrapped Score score, Map<String, Score> apart, List<String> unscored, int otherRows) {

  public CampaignScore {
    apart = Map.copyOf(apart);
    unscored = List.copyOf(unscored);
  }
}
