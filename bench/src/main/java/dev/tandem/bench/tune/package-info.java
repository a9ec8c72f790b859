/**
 * {@code tandem bench tune}: how well and how fast hyperparameters are searched, beside Debian's
 * Optuna. Objectives are computed here for both sides. One thread unless a case says otherwise.
 */
package dev.tandem.bench.tune;
