/**
 * Communication between the ranks of a job. The door is {@link dev.tandem.comm.Communicator};
 * behind it, bottom up, each package using only those before it:
 *
 * <ul>
 *   <li>{@code rendezvous}: how ranks find and trust each other
 *   <li>{@code transport}: how bytes get from rank to rank, and who was lost
 *   <li>{@code reduce}: arithmetic on elements, in rank order
 *   <li>{@code collective}: the collectives, one per file, with their costs
 *   <li>{@code launch}: starts, watches and ends the processes of a job, on this machine or several
 * </ul>
 */
package dev.tandem.comm;
