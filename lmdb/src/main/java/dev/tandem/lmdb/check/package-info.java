/** The check of a whole environment: the structure of its trees, and the use of every page. */
package dev.tandem.lmdb.check;
