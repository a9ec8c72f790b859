/**
 * What happens to an image between decoding and the batch: {@link
 * dev.tandem.data.augment.Augmentation}s change it, a {@link dev.tandem.data.augment.Normalisation}
 * makes floats of its bytes.
 *
 * <p>Promises: every random choice comes from a stream that belongs to the sample (seed, epoch,
 * record), so every pixel is the same for any number of ranks and threads. Threads: stateless.
 * Memory: cuts and flips are views; resizing and padding copy.
 */
package dev.tandem.data.augment;
