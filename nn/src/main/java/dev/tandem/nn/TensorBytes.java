package dev.tandem.nn;

/**
 * Bytes of native memory that the tensors of an {@link Engine} have.
 *
 * <p>Counted are: parameters, buffers and gradients of its networks, with the gaps that align them;
 * the state of their optimizers; activations, gradients of activations, what layers keep for the
 * backward pass (masks, indices, statistics, converted weights) and what they make in between; a
 * batch where the engine has it in another order or type than its caller; buffers in which
 * exchanges are packed; and all that is allocated in an {@link Engine#arena}. A piece of memory
 * that several tensors show counts once.
 *
 * <p>Not counted are: batches in the caller's memory, what one kernel needs for itself while it
 * runs, freed memory that the engine's allocator keeps, buffers of communication, and the JVM.
 *
 * @param current now
 * @param peak at most, since the engine began or {@link Engine#resetPeak}
 */
public record TensorBytes(long current, long peak) {}
