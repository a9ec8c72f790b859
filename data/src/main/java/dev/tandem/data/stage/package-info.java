/**
 * Staging by provenance: since the index knows where every record lies and the plan which records a
 * rank will need, exactly those can be copied to storage near the rank before it starts.
 */
package dev.tandem.data.stage;
