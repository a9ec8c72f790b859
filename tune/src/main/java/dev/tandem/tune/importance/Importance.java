package dev.tandem.tune.importance;

/**
 * How much one parameter matters.
 *
 * @param share of all parameters; they sum up to 1
 * @param trials complete ones that have it; fewer than all for a conditional parameter
 */
public record Importance(String parameter, double share, int trials) {}
