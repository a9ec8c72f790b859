/** Reading batches of records from an LMDB database with several processes. */
package dev.tandem.data.read;
