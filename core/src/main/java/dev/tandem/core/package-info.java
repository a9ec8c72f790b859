/**
 * The nouns of Tandem: values that every other module speaks in. Nothing here opens a file, a
 * socket or a thread.
 *
 * <p>Memory: a {@link dev.tandem.core.TensorView} borrows its segment; the code that made the
 * segment owns its arena. Threads: all records are immutable; {@link dev.tandem.core.Progress} may
 * be called from any thread.
 */
package dev.tandem.core;
