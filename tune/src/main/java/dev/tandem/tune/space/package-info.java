/**
 * Search spaces: named parameters, each with a {@link dev.tandem.tune.space.Domain} and perhaps
 * conditions on earlier ones, and the values that were chosen for them.
 *
 * <pre>
 *   lr:       {float: [1e-5, 1e-1], log: true}
 *   batch:    {int: [16, 256], step: 16}
 *   opt:      [adam, sgd]
 *   momentum: {float: [0, 1], when: {opt: sgd}}
 * </pre>
 *
 * Everything here is immutable; values are JSON's: {@code Long}, {@code Double}, {@code String},
 * {@code Boolean}, and lists and maps of these.
 */
package dev.tandem.tune.space;
