/** What a user chooses: the policy of a synchroniser and what goes with it. Immutable values. */
package dev.tandem.sync.policy;
