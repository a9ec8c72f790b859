/**
 * What trials of a study are and how they stand: nouns that samplers, pruners, the journal and the
 * loop share. Immutable.
 */
package dev.tandem.tune.trial;
