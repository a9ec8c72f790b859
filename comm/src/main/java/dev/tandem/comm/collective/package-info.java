/**
 * The collectives, one per file, written once over any {@link dev.tandem.comm.transport.Transport}.
 * Each class states its communication steps and the payload bytes that a rank sends in closed form,
 * as prose and as a {@code cost} function; the tests compare that function with counted traffic.
 *
 * <p>{@link dev.tandem.comm.collective.Team} is who calls them together: over slots in memory that
 * all share, over messages, or on several hosts, where the members of each host are a team of their
 * own. Allreduce has several {@linkplain dev.tandem.comm.collective.AllreduceAlgorithm algorithms},
 * of which an {@link dev.tandem.comm.collective.AlgorithmTable} chooses.
 *
 * <p>All but the algorithms for level {@link dev.tandem.comm.collective.Determinism#FAST} keep
 * level {@link dev.tandem.comm.collective.Determinism#RUN}: every element is reduced in rank order
 * within each host, and then host by host, so that all ranks get the same bits whatever the message
 * size or the timing.
 */
package dev.tandem.comm.collective;
