/**
 * What a training run is: a {@link dev.tandem.train.config.TrainingConfig}, read from YAML once,
 * every default filled in, every value checked, and from then on fixed. The resolved configuration
 * goes into the run's folder as {@code config.yaml} with the network written out layer by layer, so
 * that whoever has the folder can rebuild the network.
 *
 * <p>Mistakes are {@link dev.tandem.core.UsageException}s: one line that names the key, the layer
 * or the shapes. Threads: everything here is immutable.
 */
package dev.tandem.train.config;
