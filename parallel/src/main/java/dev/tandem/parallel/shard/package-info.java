/** Parameters, gradients and optimizer state divided by rows over ranks that differ in samples. */
package dev.tandem.parallel.shard;
