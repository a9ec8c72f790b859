/** The networks that plans are made for, from wherever users have them. */
package dev.tandem.oracle.model;
