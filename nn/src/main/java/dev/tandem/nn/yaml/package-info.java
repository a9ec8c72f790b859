/**
 * Records from and to YAML. A key is one component of a record, spelled in kebab case; what it is
 * if it is left out stands in its {@link dev.tandem.nn.yaml.Default}, and the record's compact
 * constructor checks its value. Jackson does the binding; {@link dev.tandem.nn.yaml.RecordYaml}
 * adds defaults and one-line errors that name the key, its value and what was expected.
 */
package dev.tandem.nn.yaml;
