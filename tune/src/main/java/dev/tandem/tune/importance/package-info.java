/** Which parameters matter, by the trials of a study. Pure functions. */
package dev.tandem.tune.importance;
