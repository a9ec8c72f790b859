package dev.tandem.bench;

import static java.util.stream.Collectors.toCollection;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.tandem.bench.cli.Bench;
import dev.tandem.cli.Tandem;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * No class of the product is there for tests or benchmarks alone: each is used, directly or not, by
 * the program {@code tandem} or by a type that programs of users may use; and each class of the
 * benchmarks by their program. Ranks and readers are programs, too, which are started by the name
 * of a class that their starter refers to.
 */
final class UnreachedClasses {

  private static final String TANDEM = "dev.tandem";
  private static final String BENCH = "dev.tandem.bench";
  private static final String TEST_KIT = "dev.tandem.testkit";

  /** Packages whose public types programs of users may use; the documents show how. */
  private static final Set<String> API =
      Set.of(
          "dev.tandem.comm", // programs that `tandem run` starts as ranks
          "dev.tandem.lmdb", // reading databases
          "dev.tandem.lmdb.write", // writing databases
          "dev.tandem.data.decode", // samples of records in formats of their own
          "dev.tandem.data.load", // batches of samples
          "dev.tandem.data.share", // batches of samples that are prepared once for all
          "dev.tandem.nn", // networks and optimizers
          "dev.tandem.nn.spec", // layers
          "dev.tandem.sync", // sums of gradients
          "dev.tandem.tune", // studies of objectives in Java
          "dev.tandem.tune.prune", // pruners of their own
          "dev.tandem.tune.sample", // samplers of their own
          "dev.tandem.tune.space", // search spaces
          "dev.tandem.tune.trial"); // results of trials

  /** Classes that nothing of these reaches, and why they are there. */
  private static final Map<String, String> KEPT =
      Map.of(
          "dev.tandem.tune.remote.EngineServer",
          "the driver's end of an engine in a child process, which the module spark starts",
          "dev.tandem.tune.local.TrainingRank",
          "a rank of a training that the module spark starts on several nodes");

  private UnreachedClasses() {}

  /** The names of those that tests or benchmarks alone use. */
  static Set<String> in(JavaClasses classes) {
    Set<String> unreached = names(classes);
    unreached.removeAll(
        reachedFrom(classes, type -> type.isEquivalentTo(Tandem.class) || isApi(type)));
    Set<String> ofBenchmarks = reachedFrom(classes, type -> type.isEquivalentTo(Bench.class));
    unreached.removeIf(name -> name.startsWith(BENCH) && ofBenchmarks.contains(name));
    unreached.removeAll(KEPT.keySet());
    return unreached;
  }

  private static Set<String> reachedFrom(JavaClasses classes, Predicate<JavaClass> isRoot) {
    Deque<JavaClass> open = new ArrayDeque<>(classes.stream().filter(isRoot).toList());
    Set<JavaClass> seen = new HashSet<>(open);
    while (!open.isEmpty()) {
      JavaClass type = open.pop();
      type.getDirectDependenciesFromSelf().stream()
          .map(dependency -> dependency.getTargetClass().getBaseComponentType())
          .filter(target -> target.getPackageName().startsWith(TANDEM))
          .filter(seen::add)
          .forEach(open::push);
      type.getEnclosingClass().filter(seen::add).ifPresent(open::push);
    }
    return names(seen);
  }

  private static boolean isApi(JavaClass type) {
    return API.contains(type.getPackageName()) && type.getModifiers().contains(JavaModifier.PUBLIC);
  }

  /** The names of top-level classes: those inside a class count as part of it. */
  private static Set<String> names(Collection<JavaClass> types) {
    return types.stream()
        .filter(type -> !type.getPackageName().equals(TEST_KIT))
        .map(type -> type.getName().replaceAll("\\$.*", ""))
        .filter(name -> !name.endsWith(".package-info"))
        .collect(toCollection(TreeSet::new));
  }
}
