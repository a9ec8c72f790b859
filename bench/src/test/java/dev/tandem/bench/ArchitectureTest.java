package dev.tandem.bench;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The rules of design that a compiler does not check. Here, because bench sees every module. */
class ArchitectureTest {

  /** The way of data, top to bottom; modules that are to come have their places in it. */
  private static final List<String> ORDER =
      List.of(
          "core",
          "posix",
          "testkit",
          "comm",
          "lmdb",
          "data",
          "nn",
          "sync",
          "checkpoint",
          "parallel",
          "servers",
          "train",
          "oracle",
          "ensemble",
          "tune",
          "spark",
          "djl",
          "board",
          "cli",
          "bench");

  private static JavaClasses classes;
  private static List<String> modules;

  @BeforeAll
  static void readClassesAndModules() throws Exception {
    // The rules are about our classes: what is in those of the JDK and of libraries does not
    // matter.
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.tandem");
    // Modules of a profile are not on this class path.
    String parent = Files.readString(Path.of("..", "pom.xml")).replaceAll("(?s)<profiles>.*", "");
    modules =
        Pattern.compile("<module>(\\w+)</module>")
            .matcher(parent)
            .results()
            .map((MatchResult match) -> match.group(1))
            .toList();
  }

  /** dev.tandem.comm.launch belongs to module comm. */
  private static String module(JavaClass type) {
    String prefix = "dev.tandem.";
    String name = type.getPackageName();
    return name.startsWith(prefix) ? name.substring(prefix.length()).replaceAll("\\..*", "") : "";
  }

  @Test
  void everyModuleIsSeen() {
    Map<String, Integer> seen = new TreeMap<>();
    classes.forEach(type -> seen.merge(module(type), 1, Integer::sum));
    // testkit is for tests alone, so it is not on the class path of the product.
    List<String> expected = modules.stream().filter(m -> !m.equals("testkit")).sorted().toList();
    assertEquals(
        expected,
        seen.keySet().stream()
            .filter(modules::contains)
            .filter(m -> !m.equals("testkit"))
            .toList());
  }

  @Test
  void modulesStandInTheOrderOfTheDesign() {
    assertEquals(ORDER.stream().filter(modules::contains).toList(), modules);
  }

  @Test
  void theProductDoesNotSeeTheBenchmarks() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.tandem.bench..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.tandem.bench..", "org.lmdbjava..", "io.jhdf..")
        .check(classes);
  }

  @Test
  void aModuleUsesOnlyModulesAboveIt() {
    for (JavaClass type : classes) {
      int own = modules.indexOf(module(type));
      type.getDirectDependenciesFromSelf()
          .forEach(
              dependency -> {
                int other = modules.indexOf(module(dependency.getTargetClass()));
                assertTrue(other <= own, dependency.getDescription());
              });
    }
  }

  @Test
  void packagesFormNoCycle() {
    slices().matching("dev.tandem.(**)").should().beFreeOfCycles().check(classes);
  }

  @Test
  void foreignFunctionsAreCalledInPosixAndTheEngineOnly() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.tandem.posix..", "dev.tandem.nn.engine..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Linker")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.SymbolLookup")
        .check(classes);
  }

  @Test
  void everyClassIsReachedFromAProgramOrAnApi() {
    assertEquals(Set.of(), UnreachedClasses.in(classes), "used by tests or benchmarks alone");
  }

  @Test
  void theInsideOfNnIsItsOwn() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.tandem.nn..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.tandem.nn.internal..", "dev.tandem.nn.engine..")
        .check(classes);
  }

  @Test
  void thePagesOfLmdbAreItsOwn() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.tandem.lmdb..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.tandem.lmdb.page..")
                .and(not(assignableTo(RuntimeException.class))))
        .check(classes);
  }

  @Test
  void theTestKitIsForTests() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.tandem.testkit..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.tandem.testkit..")
        .check(classes);
  }
}
