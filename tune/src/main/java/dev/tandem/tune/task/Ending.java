package dev.tandem.tune.task;

/**
 * The end of an attempt.
 *
 * @param retried whether another attempt follows
 * @param seconds from start to end
 * @param processorSeconds used by its processes; NaN if nothing counted them
 */
public record Ending(Outcome outcome, boolean retried, double seconds, double processorSeconds) {}
