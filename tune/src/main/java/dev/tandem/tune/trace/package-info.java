/** What ran where and when, out of the records of a study. Immutable; no threads. */
package dev.tandem.tune.trace;
