/**
 * What is run, what it needs and what becomes of it: the interface between a study and the engines
 * that run its trials, in this process, on this machine or on a cluster.
 *
 * <p>A {@link dev.tandem.tune.task.TaskEngine} runs tasks that are ready; what depends on what, and
 * what comes first, is the {@link dev.tandem.tune.task.TaskGraph}'s. Values here are immutable and
 * go over the wire as the JSON of {@link dev.tandem.tune.task.TaskJson}. Listeners are called by
 * threads of the engine, for one task one call at a time.
 */
package dev.tandem.tune.task;
