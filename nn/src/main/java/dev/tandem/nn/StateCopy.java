package dev.tandem.nn;

import dev.tandem.core.Arrival;
import dev.tandem.core.StateTree;

/**
 * The state of a network and its optimizer as it was at one moment.
 *
 * @param tree valid from {@link Arrival#await} until {@link Arrival#done}
 */
public record StateCopy(StateTree tree, Arrival arrival) {}
