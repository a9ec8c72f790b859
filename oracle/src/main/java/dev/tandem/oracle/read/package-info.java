/**
 * A simulator of the read modes on a filesystem that many nodes share, for more readers than there
 * are here. It moves requests, not bytes: readers send requests, servers work on them in the order
 * of arrival, and what a request costs follows from a {@link dev.tandem.oracle.read.Calibration}.
 * Everything is deterministic by seed, immutable or confined to one call, and says that it is
 * simulated.
 */
package dev.tandem.oracle.read;
