/**
 * Where records lie in the file: an exact index, built once and kept beside the database, and the
 * creation parameters from which locations can be computed.
 */
package dev.tandem.lmdb.index;
