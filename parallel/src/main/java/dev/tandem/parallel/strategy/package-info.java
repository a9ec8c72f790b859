/** The ways to split a network: each says in which mode every layer works along an axis. */
package dev.tandem.parallel.strategy;
