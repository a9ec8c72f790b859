/**
 * The collectives, one per file, written once over any {@link dev.tandem.comm.transport.Transport}.
 * Each class states its communication steps and the payload bytes that a rank sends in closed form,
 * as prose and as a {@code cost} function; the tests compare that function with counted traffic.
 *
 * <p>All of them keep the level of determinism {@code run}: every element is reduced in rank order
 * at one place, so that all ranks get the same bits whatever the message size or the timing.
 */
package dev.tandem.comm.collective;
