/**
 * What the network of a run says about data: how well it does on a test set, what images show, what
 * the rows of tables predict. By one process, or by the ranks of a job over which the network is
 * split; the answers are the same.
 */
package dev.tandem.train.answer;
