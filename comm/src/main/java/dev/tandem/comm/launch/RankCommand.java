package dev.tandem.comm.launch;

import dev.tandem.comm.rendezvous.JobEnvironment;
import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The command of one rank.
 *
 * <p>{@code Note [remote start]}: a remote rank is started by a shell on its host that reads what
 * to do from its standard input. So neither the secret nor anything that would have to be quoted
 * for shells in between is on a command line, the variables are really in the environment of the
 * rank, and the same works over ssh, which passes words to a login shell, and through programs that
 * run them directly. After the script nothing is written until the rank is to end: what the shell
 * has not read, the rank's {@link ParentWatch} waits on.
 */
record RankCommand(LaunchPlan plan, Placement placement, JobEnvironment job) {

  /** The first line that a remote rank prints, with its process number. */
  static final String PROCESS = "tandem-process ";

  private static final String OURS = "TANDEM_";

  /** The words to start a process of this machine with. */
  List<String> words() {
    if (remote()) {
      return remoteShell();
    }
    List<String> words = new ArrayList<>(List.of(placement.java()));
    if (!HeapShare.chosen(plan.jvmFlags())) {
      words.add(HeapShare.flag(placement.neighbours(job.rank())));
    }
    words.addAll(program(plan.jvmFlags()));
    return words;
  }

  /**
   * The words that run a shell on the rank's host. Ctrl-C goes to all processes of a terminal: the
   * remote shell does not heed it, so that the launcher can still ask the rank to end.
   */
  List<String> remoteShell() {
    List<String> words = new ArrayList<>(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
    words.addAll(placement.remoteShell());
    words.add(job.host());
    words.add("sh");
    return words;
  }

  boolean remote() {
    return placement.remote(job.rank());
  }

  /** The variables to add to those that the process has anyway. */
  Map<String, String> variables() {
    Map<String, String> variables = new LinkedHashMap<>(plan.environment());
    variables.putAll(job.variables());
    return variables;
  }

  /** What a shell on another host must read to become the rank. */
  String script() {
    Map<String, String> variables = new LinkedHashMap<>();
    System.getenv()
        .forEach(
            (name, value) -> {
              if (name.startsWith(OURS)) {
                variables.put(name, value);
              }
            });
    variables.putAll(variables());
    // An archive belongs to the machine where it was made.
    List<String> flags = JvmFlags.withoutArchives(plan.jvmFlags());
    String folder = new File("").getAbsolutePath();
    StringBuilder script = new StringBuilder();
    script.append("echo \"").append(PROCESS).append("$$\"\n");
    script.append("cd %s 2>/dev/null || ".formatted(quoted(folder)));
    script.append("echo %s >&2\n".formatted(quoted("there is no folder " + folder + " here")));
    variables.forEach(
        (name, value) -> script.append("export %s=%s\n".formatted(name, quoted(value))));
    boolean chosen = HeapShare.chosen(flags);
    script.append(chosen ? "" : HeapShare.script(placement.neighbours(job.rank())));
    script.append("exec ").append(quoted(placement.java()));
    script.append(chosen ? "" : " \"-Xmx${heap:-%d}m\"".formatted(HeapShare.MOST));
    program(flags).forEach(word -> script.append(' ').append(quoted(word)));
    return script.append('\n').toString();
  }

  private List<String> program(List<String> flags) {
    List<String> words = new ArrayList<>(flags);
    words.add("-cp");
    words.add(placement.classPath());
    words.add(ChildMain.class.getName());
    words.add(plan.mainClass());
    words.addAll(plan.arguments());
    return words;
  }

  /** One word for a shell, whatever is in it. */
  static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
