/** All samplers by the names that a configuration gives them, and the choice among them. */
package dev.tandem.tune.samplers;
