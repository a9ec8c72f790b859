/**
 * A simulator of gradient synchronisation for more ranks than there are here. It moves times, not
 * tensors: when ranks have computed, when their threads wake, when they agree, when a transfer
 * ends. What happens follows from the protocol of each policy; how much is lost follows from {@link
 * dev.tandem.oracle.sync.SyncParameters}, the same for all policies. Everything is deterministic by
 * seed, immutable or confined to one call, and says that it is simulated.
 */
package dev.tandem.oracle.sync;
