/**
 * {@code tandem bench ensemble}: what it costs to prepare images for the members of an ensemble, by
 * every pipeline. Members are processes that stay for the whole benchmark and are told what to do,
 * so that a case is measured by compiled code, and all pipelines within seconds of each other.
 *
 * <p>Each member counts which images it gets by their labels, which are the numbers of the records:
 * what is measured is also checked.
 */
package dev.tandem.bench.ensemble;
