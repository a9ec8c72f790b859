/**
 * Samplers: which parameters to try next. Each is a pure function of the space, the history, the
 * seed of the study and the number of the trial, so nothing of a sampler needs to be saved.
 */
package dev.tandem.tune.sample;
