/**
 * What a plan costs a rank, before anything runs: the bytes that it sends in a step, exchange by
 * exchange, by the formulas of the collectives themselves, and the memory that it needs. Nothing
 * here needs other ranks.
 */
package dev.tandem.parallel.cost;
