/**
 * The process that trains an ensemble: it starts the processes of members, restarts those that are
 * lost, starts queued members when there is room, watches the share and writes down what happens.
 *
 * <p>{@link dev.tandem.ensemble.drive.EnsembleRun} is the whole; a {@code MemberRun} is one member,
 * in a thread of its own. A member that fails does not stop the others.
 */
package dev.tandem.ensemble.drive;
