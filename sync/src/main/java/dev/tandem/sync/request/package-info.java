/**
 * What is asked of a synchroniser and what becomes of it: nouns that every other package of {@code
 * sync} speaks.
 *
 * <p>Memory: the tensor of a request is borrowed until its completion is called.
 */
package dev.tandem.sync.request;
