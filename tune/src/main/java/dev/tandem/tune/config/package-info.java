/** The configuration of a study, as YAML. Immutable. */
package dev.tandem.tune.config;
