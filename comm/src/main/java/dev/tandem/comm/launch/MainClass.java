package dev.tandem.comm.launch;

import dev.tandem.core.UsageException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** Finds the program that ranks run. */
public final class MainClass {

  private MainClass() {}

  /**
   * The {@code public static void main(String[])} of a public class; nothing of it runs yet.
   *
   * @throws UsageException if there is no such class or method
   */
  public static Method of(String name, ClassLoader loader) {
    try {
      Class<?> type = Class.forName(name, false, loader);
      Method main = type.getMethod("main", String[].class);
      if (Modifier.isStatic(main.getModifiers()) && Modifier.isPublic(type.getModifiers())) {
        return main;
      }
    } catch (ClassNotFoundException | NoClassDefFoundError e) {
      throw new UsageException("class %s is not on the class path".formatted(name));
    } catch (NoSuchMethodException e) {
      // Said below.
    }
    throw new UsageException(
        "class %s is not public or has no public static void main(String[])".formatted(name));
  }
}
