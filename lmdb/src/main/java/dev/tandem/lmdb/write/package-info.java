/** A crash-safe writer of LMDB environments, by liblmdb's rules. */
package dev.tandem.lmdb.write;
