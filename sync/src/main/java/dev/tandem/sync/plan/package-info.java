/**
 * Plans that make negotiation needless: from the graph of a step's requests the order and the
 * fusion of its transfers, the same on every rank.
 *
 * <p>Everything here is immutable or for one thread, and knows nothing of ranks or threads.
 */
package dev.tandem.sync.plan;
