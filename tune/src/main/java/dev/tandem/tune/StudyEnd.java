package dev.tandem.tune;

/**
 * How a study ended.
 *
 * @param state all its trials
 * @param interrupted whether it was asked to stop: it can be resumed
 * @param reason why it ended before all its trials, or empty
 */
public record StudyEnd(StudyState state, boolean interrupted, String reason) {}
