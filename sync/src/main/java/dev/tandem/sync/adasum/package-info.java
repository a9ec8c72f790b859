/**
 * Another way to bring gradients together than to sum them: {@link dev.tandem.sync.adasum.Adasum}.
 * Knows collectives and memory alone; one thread, which owns what it works in, and tensors are
 * borrowed for the time of a call.
 */
package dev.tandem.sync.adasum;
