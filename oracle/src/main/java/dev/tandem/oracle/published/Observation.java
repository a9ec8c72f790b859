package dev.tandem.oracle.published;

import java.util.OptionalDouble;

/**
 * A configuration that was measured and can be projected.
 *
 * @param place file and line
 * @param seconds of an iteration
 * @param computation the part that is computation, where it is known
 * @param congested whether the network is suspected to have been busy with the traffic of others
 */
record Observation(
    String place,
    Configuration configuration,
    double seconds,
    OptionalDouble computation,
    boolean congested) {}
