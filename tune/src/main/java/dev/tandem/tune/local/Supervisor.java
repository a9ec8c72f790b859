package dev.tandem.tune.local;

import java.util.ArrayList;
import java.util.List;

/**
 * The shell above a program.
 *
 * <p>{@code Note [no orphans]}: the program leads a session and process group of its own. The shell
 * passes SIGTERM on to the whole group and exits with the program's code. A reader of the shell's
 * standard input, a pipe that only this process holds open, ends the group by force when the pipe
 * ends: because we close it, or because we are gone. What the program leaves running in its group
 * when it ends is ended too; a control group, where there is one, also gets what has left the
 * group.
 */
final class Supervisor {

  /** The program reads nothing. */
  private static final String SILENT =
      """
      exec 3<&0
      t=; trap t=1 TERM
      setsid "$@" </dev/null 3<&- &
      c=$!
      trap 'kill -s TERM -- -$c || kill -s TERM $c' TERM
      if [ -n "$t" ]; then kill -s TERM -- -$c || kill -s TERM $c; fi
      { cat <&3; kill -s KILL -- -$c; } >/dev/null 2>&1 &
      exec 3<&-
      exec 2>/dev/null
      wait $c; r=$?
      while kill -0 $c; do wait $c; r=$?; done
      kill -s KILL -- -$c
      exit $r
      """;

  /** The program reads what we write. */
  private static final String ANSWERED =
      """
      exec 3<&0
      mkfifo "$1" && f=$1; shift
      t=; trap t=1 TERM
      setsid "$@" <"$f" 3<&- &
      c=$!
      trap 'kill -s TERM -- -$c || kill -s TERM $c' TERM
      if [ -n "$t" ]; then kill -s TERM -- -$c || kill -s TERM $c; fi
      { cat <&3 >"$f"; cat <&3 >/dev/null; kill -s KILL -- -$c; } 2>/dev/null >&2 &
      exec 3<&-
      exec 2>/dev/null
      wait $c; r=$?
      while kill -0 $c; do wait $c; r=$?; done
      kill -s KILL -- -$c
      exit $r
      """;

  private Supervisor() {}

  /** The words that run a command whose standard input is empty. */
  static List<String> silent(List<String> command) {
    return words(SILENT, List.of(), command);
  }

  /**
   * The words that run a command whose standard input is ours.
   *
   * @param pipe a name that is free for a named pipe
   */
  static List<String> answered(String pipe, List<String> command) {
    return words(ANSWERED, List.of(pipe), command);
  }

  private static List<String> words(String script, List<String> first, List<String> command) {
    List<String> words = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    words.addAll(first);
    words.addAll(command);
    return words;
  }
}
