/**
 * Ensembles: several networks that learn from the same data, each sample of which is read, decoded
 * and augmented once, whatever the number of members.
 *
 * <p>A member is an ordinary training run of one or several processes. The members of an ensemble
 * name one and the same place in {@code data.share}, where {@code dev.tandem.data.share} keeps
 * prepared samples in memory that all processes of the host map. A {@link
 * dev.tandem.ensemble.Pipeline} says which processes prepare them; members of different speed take
 * them as {@code data.share} describes. The driver starts members, restarts those that are lost
 * from their checkpoints, starts queued ones when there is room, and notes what happens.
 *
 * <p>On disk: {@code runs/<ensemble>/ensemble.yaml}, the configuration as resolved; {@code
 * runs/<ensemble>/ensemble.json}, its state with the members in order, each with the name of its
 * run ({@link dev.tandem.ensemble.EnsembleRecord}); and beside it one ordinary run for each member,
 * {@code runs/<ensemble>-<member>}, which {@code tandem runs}, {@code eval}, {@code predict} and
 * {@code export} take like any other.
 *
 * <p>Threads: the driver has one thread for each member that runs. Memory: samples belong to {@code
 * data.share}; nothing else here is off the heap.
 */
package dev.tandem.ensemble;
