/**
 * Gradient synchronisation: the gradients of all ranks become their weighted sum on every rank,
 * with the same bits everywhere. Knows tensors and collectives, not the engine that made the
 * gradients.
 *
 * <p>Threads: a synchroniser belongs to the thread that trains. Memory: gradients are reduced in
 * place, in the memory of whoever owns them.
 */
package dev.tandem.sync;
