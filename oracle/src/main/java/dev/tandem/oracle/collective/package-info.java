/** What collectives take, from a description of the links or from measurements. */
package dev.tandem.oracle.collective;
