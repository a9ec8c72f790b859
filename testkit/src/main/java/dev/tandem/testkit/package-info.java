/**
 * What tests of all modules share: a watchdog that turns a hang into a failure with all stacks, and
 * random seeds that a failing test prints. Used in test scope only.
 */
package dev.tandem.testkit;
