/** What each kind of layer needs and gives when it is split over the ranks along an axis. */
package dev.tandem.parallel.rule;
