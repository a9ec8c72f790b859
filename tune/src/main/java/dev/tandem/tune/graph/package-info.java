/**
 * Graphs of tasks that a configuration says: {@link dev.tandem.tune.graph.TaskGraphRun} runs them
 * on an engine and keeps their journal. One thread runs a graph; others may cancel it.
 */
package dev.tandem.tune.graph;
