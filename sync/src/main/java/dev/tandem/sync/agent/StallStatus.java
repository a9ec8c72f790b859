package dev.tandem.sync.agent;

import java.util.Map;

/**
 * What a rank tells about itself.
 *
 * @param last whether it will tell no more
 * @param joined whether it has no more data, and so owes nothing
 * @param doing what its program does, as the end of a sentence
 * @param pendingSeconds what it waits for, by name, and for how long
 */
record StallStatus(
    boolean last, boolean joined, String doing, Map<String, Double> pendingSeconds) {}
