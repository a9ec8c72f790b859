/**
 * What a person looks at after a run: a self-contained HTML page with facts and curves, which opens
 * from disk without a network.
 */
package dev.tandem.board;
