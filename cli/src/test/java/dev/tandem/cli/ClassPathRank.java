package dev.tandem.cli;

/** A rank of a test job: says where it looks for classes. */
public final class ClassPathRank {

  private ClassPathRank() {}

  public static void main(String[] arguments) {
    System.out.println(System.getProperty("java.class.path"));
  }
}
