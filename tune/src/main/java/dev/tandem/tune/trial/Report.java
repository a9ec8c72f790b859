package dev.tandem.tune.trial;

/**
 * What a trial said on its way.
 *
 * @param step the epoch or other step that it was at
 * @param value the metric of the study then; may be no number
 */
public record Report(long step, double value) {}
