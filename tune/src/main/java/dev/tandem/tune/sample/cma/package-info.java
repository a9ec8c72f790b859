/**
 * CMA-ES: a normal distribution whose mean, width and covariance follow the better half of each
 * generation. The state is computed from the history and is nowhere saved. One thread at a time.
 */
package dev.tandem.tune.sample.cma;
