package dev.tandem.comm.launch;

import dev.tandem.core.ExitCode;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * What every process of a job runs first: watches the launcher, calls the program, and turns a
 * failure into one line and an exit code. The first argument is the program's class.
 */
public final class ChildMain {

  private ChildMain() {}

  public static void main(String[] arguments) {
    ParentWatch.start();
    ExitCode code = call(arguments[0], Arrays.copyOfRange(arguments, 1, arguments.length));
    if (code != ExitCode.DONE) {
      System.exit(code.code());
    }
  }

  private static ExitCode call(String mainClass, String[] arguments) {
    try {
      MainClass.of(mainClass, ChildMain.class.getClassLoader()).invoke(null, (Object) arguments);
      return ExitCode.DONE;
    } catch (UsageException e) {
      return report(e);
    } catch (InvocationTargetException e) {
      return report(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a public method cannot be called", e);
    }
  }

  /**
   * Reports a failure as {@link #main} does and ends the process without closing anything: for a
   * rank that fails alone, because what it shares with others waits at its close for ranks that
   * wait for this one. They see it end.
   */
  public static void endAtOnce(RuntimeException failure) {
    endAtOnce(report(failure));
  }

  /** Ends the process with this code, without closing anything, also while it is shutting down. */
  public static void endAtOnce(ExitCode code) {
    System.err.flush();
    System.out.flush();
    Runtime.getRuntime().halt(code.code());
  }

  private static ExitCode report(Throwable failure) {
    if (failure instanceof TandemException known) {
      System.err.println("error: " + known.getMessage());
      return known.exitCode();
    }
    failure.printStackTrace();
    return ExitCode.FAILED;
  }
}
