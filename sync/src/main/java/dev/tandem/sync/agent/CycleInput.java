package dev.tandem.sync.agent;

import java.util.List;

/**
 * What is new to an agent that negotiates.
 *
 * @param stable whether this rank could plan from what it has recorded
 * @param proposed whether it has a graph to plan from
 */
record CycleInput(
    List<PendingRequest> entries,
    boolean shutdown,
    boolean joined,
    boolean stable,
    boolean proposed) {}
