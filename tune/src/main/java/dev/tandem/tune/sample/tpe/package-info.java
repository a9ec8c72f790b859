/**
 * The tree-structured Parzen estimator: mixtures of kernels of the good and of the other trials,
 * and the candidate for which their ratio is largest. Pure functions of what was observed; a
 * sampler keeps columns and sorted orders of the trials it has seen, which only save time. One
 * thread at a time.
 */
package dev.tandem.tune.sample.tpe;
