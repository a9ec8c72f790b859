/**
 * The command line: one class per command, and the place where the modules are wired together.
 *
 * <p>Every command takes {@code --json FILE} for its results and {@code --help}; every option can
 * also come from the environment ({@code --batch} from {@code TANDEM_BATCH}). Errors are one line
 * on standard error (a stack trace only with {@code --debug}) and one of the exit codes of {@link
 * dev.tandem.core.ExitCode}.
 */
package dev.tandem.cli;
