/** What travels between ranks when a layer needs a tensor in another way than it comes. */
package dev.tandem.parallel.exchange;
