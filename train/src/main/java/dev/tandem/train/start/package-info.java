/**
 * Configurations to begin with, for a user's own data: {@link dev.tandem.train.start.StartKind}
 * looks at a data set and chooses, {@link dev.tandem.train.start.StartConfig} is the commented
 * YAML.
 */
package dev.tandem.train.start;
