/**
 * Event files for TensorBoard: an {@link dev.tandem.train.tensorboard.EventFile} takes numbers by
 * tag and step. The format, records with masked CRC-32C around protocol buffer messages, is written
 * by hand: three messages need no library.
 *
 * <p>Threads: a file belongs to one thread.
 */
package dev.tandem.train.tensorboard;
