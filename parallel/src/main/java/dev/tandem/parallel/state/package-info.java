/** Parameters and state of split networks: their norms, their files, their digests. */
package dev.tandem.parallel.state;
