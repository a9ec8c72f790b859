/**
 * What layers and collectives take, as measured on a machine ({@code tandem profile}, {@code
 * tools/profile_torch.py}) or estimated from a description of a device. A profile is a JSON file
 * that other machines can read.
 */
package dev.tandem.oracle.profile;
