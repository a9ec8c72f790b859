/** Pruners: whether a trial that runs is worth going on, by what it and others reported. */
package dev.tandem.tune.prune;
