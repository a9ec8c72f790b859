import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.InterfaceMethodRefEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.MethodRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.bytedeco.javacpp.annotation.Platform;
import org.bytedeco.javacpp.annotation.Properties;
import org.bytedeco.javacpp.tools.Builder;

/**
 * Makes the native library between the Java classes of org.bytedeco:pytorch and Debian's libtorch,
 * for processors that have no such library in Maven Central.
 *
 * <p>The classes declare some 24,600 native methods; Tandem calls fewer than 200. So this finds, in
 * the compiled classes of the module, which ones are reached, cuts copies of the classes down to
 * those, has JavaCPP write C++ for the copies, and compiles that. The JVM looks for a native method
 * when it is called first, so the whole classes work with the small library.
 *
 * <p>Runs in the build, as a source file: {@code java -cp JARS EngineBinding.java HEADERS WORK
 * LIBRARY CLASSES...}. What was made from the same methods and headers is not made again. Without
 * libtorch's headers, or if they do not fit, it says so and makes nothing: all else of Tandem can
 * be built and used, and the engine says what is missing.
 */
final class EngineBinding {

  private static final String BOUND = "org/bytedeco/pytorch/";
  private static final String SETTINGS = BOUND + "presets/torch";
  private static final Path TORCH_HEADERS = Path.of("/usr/include/torch/csrc/api/include");
  private static final Path TORCH_VERSION = TORCH_HEADERS.resolve("torch/version.h");

  /** A method by the class that the call names, which may inherit it. */
  private record Method(String owner, String name, String type) {}

  private final Map<String, ClassModel> models = new HashMap<>();
  private final Map<String, Set<String>> natives = new TreeMap<>();
  private final Set<Method> known = new HashSet<>();
  private final Deque<Method> toFollow = new ArrayDeque<>();

  private EngineBinding() {}

  static void main(String[] args) throws IOException, InterruptedException {
    Path headers = Path.of(args[0]);
    Path work = Path.of(args[1]);
    Path library = Path.of(args[2]);
    if (!Files.isRegularFile(TORCH_VERSION)) {
      System.out.println(
          "no compute engine for this processor: there is no "
              + TORCH_VERSION
              + " (Debian: apt-get install libtorch-dev libopenblas0-pthread g++)");
      return;
    }
    EngineBinding binding = new EngineBinding();
    for (String folder : List.of(args).subList(3, args.length)) {
      binding.scan(Path.of(folder));
    }
    binding.follow();
    String recipe = binding.natives + "\n" + Files.readString(headers.resolve("binding.h"));
    Path madeFrom = library.resolveSibling("binding.txt");
    if (Files.exists(library)
        && Files.exists(madeFrom)
        && Files.readString(madeFrom).equals(recipe)) {
      return;
    }
    System.out.println("compiling the binding of libtorch for this processor ...");
    Files.deleteIfExists(madeFrom);
    try {
      binding.writeClasses(work.resolve("classes"));
      binding.generate(work);
      compile(work, headers, library);
      Path platform = library.getParent();
      compileBlas(platform.resolve("../../openblas").resolve(platform.getFileName()).normalize());
      Files.writeString(madeFrom, recipe);
    } catch (IOException e) {
      Files.deleteIfExists(library);
      System.out.println(
          "no compute engine for this processor: its binding cannot be made ("
              + e.getMessage()
              + ")");
    }
  }

  private void scan(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
        for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
          switch (entry) {
            case MethodRefEntry method -> reach(method);
            case InterfaceMethodRefEntry method -> reach(method);
            case ClassEntry type -> touch(type.asInternalName());
            default -> {}
          }
        }
      }
    }
  }

  private void reach(MemberRefEntry method) {
    String owner = method.owner().asInternalName();
    if (owner.startsWith(BOUND)) {
      touch(owner);
      reach(new Method(owner, method.name().stringValue(), method.type().stringValue()));
    }
  }

  private void reach(Method method) {
    if (known.add(method)) {
      toFollow.add(method);
    }
  }

  /** Whoever names a class may initialise it, and needs those that it inherits from. */
  private void touch(String name) {
    if (name.startsWith(BOUND) && natives.putIfAbsent(name, new TreeSet<>()) == null) {
      reach(new Method(name, "<clinit>", "()V"));
      model(name).superclass().ifPresent(parent -> touch(parent.asInternalName()));
      int nested = name.indexOf('$');
      if (nested > 0) {
        touch(name.substring(0, nested));
      }
    }
  }

  private void follow() {
    while (!toFollow.isEmpty()) {
      Method method = toFollow.remove();
      find(method)
          .ifPresent(
              found -> {
                String owner = found.parent().orElseThrow().thisClass().asInternalName();
                touch(owner);
                if (found.flags().has(AccessFlag.NATIVE)) {
                  natives.get(owner).add(signature(found));
                  touchTypes(found);
                } else {
                  followCode(found);
                }
              });
    }
  }

  private Optional<MethodModel> find(Method method) {
    String owner = method.owner();
    while (owner.startsWith(BOUND)) {
      ClassModel model = model(owner);
      for (MethodModel candidate : model.methods()) {
        if (signature(candidate).equals(method.name() + method.type())) {
          return Optional.of(candidate);
        }
      }
      owner = model.superclass().orElseThrow().asInternalName();
    }
    return Optional.empty();
  }

  private void touchTypes(MethodModel method) {
    List<ClassDesc> types = new ArrayList<>(method.methodTypeSymbol().parameterList());
    types.add(method.methodTypeSymbol().returnType());
    for (ClassDesc type : types) {
      if (type.isClassOrInterface()) {
        String descriptor = type.descriptorString();
        touch(descriptor.substring(1, descriptor.length() - 1));
      }
    }
  }

  private void followCode(MethodModel method) {
    method
        .code()
        .ifPresent(
            code ->
                code.forEach(
                    element -> {
                      if (element instanceof InvokeInstruction call) {
                        reach(call.method());
                      } else if (element instanceof FieldInstruction access) {
                        touch(access.owner().asInternalName());
                      }
                    }));
  }

  private static String signature(MethodModel method) {
    return method.methodName().stringValue() + method.methodType().stringValue();
  }

  private ClassModel model(String name) {
    return models.computeIfAbsent(
        name,
        _ -> {
          ClassLoader loader = EngineBinding.class.getClassLoader();
          try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            if (in == null) {
              throw new IllegalStateException("no class " + name + " on the class path");
            }
            return ClassFile.of().parse(in.readAllBytes());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private void writeClasses(Path folder) throws IOException {
    for (Map.Entry<String, Set<String>> entry : natives.entrySet()) {
      String name = entry.getKey();
      Path file = folder.resolve(name + ".class");
      Files.createDirectories(file.getParent());
      Files.write(file, name.equals(SETTINGS) ? settings() : reduced(name, entry.getValue()));
    }
  }

  /** What JavaCPP looks at: constructors, the native methods that are reached, all of an enum. */
  private byte[] reduced(String name, Set<String> reached) {
    ClassModel model = model(name);
    boolean whole = model.flags().has(AccessFlag.ENUM);
    return ClassFile.of()
        .transformClass(
            model,
            (builder, element) -> {
              if (whole || isKept(element, reached)) {
                builder.with(element);
              }
            });
  }

  private static boolean isKept(ClassElement element, Set<String> reached) {
    return switch (element) {
      case FieldModel _ -> false;
      case MethodModel method ->
          method.flags().has(AccessFlag.NATIVE)
              ? reached.contains(signature(method))
              : method.methodName().equalsString("<init>");
      default -> true;
    };
  }

  /** The class that names headers and libraries, with one header of ours for all of theirs. */
  private static byte[] settings() {
    Annotation platform =
        Annotation.of(
            Platform.class.describeConstable().orElseThrow(),
            AnnotationElement.ofArray(
                "define",
                AnnotationValue.ofString("SHARED_PTR_NAMESPACE std"),
                AnnotationValue.ofString("UNIQUE_PTR_NAMESPACE std")),
            AnnotationElement.ofArray("include", AnnotationValue.ofString("binding.h")));
    Annotation properties =
        Annotation.of(
            Properties.class.describeConstable().orElseThrow(),
            AnnotationElement.ofArray("value", AnnotationValue.ofAnnotation(platform)),
            AnnotationElement.ofString("target", "org.bytedeco.pytorch"),
            AnnotationElement.ofString("global", "org.bytedeco.pytorch.global.torch"));
    return ClassFile.of()
        .build(
            ClassDesc.ofInternalName(SETTINGS),
            builder ->
                builder
                    .withFlags(AccessFlag.PUBLIC, AccessFlag.SUPER)
                    .with(RuntimeVisibleAnnotationsAttribute.of(properties)));
  }

  /** Writes the C++; in another JVM, where the reduced classes come first. */
  private void generate(Path work) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                work.resolve("classes") + ":" + System.getProperty("java.class.path"),
                Builder.class.getName(),
                "-nocompile",
                "-d",
                work.toString(),
                "-o",
                "jnitorch"));
    for (String name : natives.keySet()) {
      if (!name.equals(SETTINGS)) {
        command.add(name.replace('/', '.'));
      }
    }
    run(command);
  }

  private static void compile(Path work, Path headers, Path library)
      throws IOException, InterruptedException {
    Path java = Path.of(System.getProperty("java.home"), "include");
    Path made = work.resolve(library.getFileName());
    run(
        List.of(
            "g++",
            "-shared",
            "-fPIC",
            "-O2",
            isFirstMajorRelease() ? "-std=c++14" : "-std=c++17",
            "-w",
            "-I" + java,
            "-I" + java.resolve("linux"),
            "-I" + TORCH_HEADERS,
            "-I" + headers,
            work.resolve("jnitorch.cpp").toString(),
            work.resolve("jnijavacpp.cpp").toString(),
            "-o",
            made.toString(),
            "-ltorch",
            "-ltorch_cpu",
            "-lc10"));
    Files.createDirectories(library.getParent());
    Files.move(made, library, StandardCopyOption.REPLACE_EXISTING);
  }

  private static boolean isFirstMajorRelease() throws IOException {
    return Files.readString(TORCH_VERSION).contains("TORCH_VERSION_MAJOR 1");
  }

  /**
   * JavaCPP loads the bindings of OpenBLAS before that of libtorch. Debian's libtorch brings
   * Debian's BLAS, beside which another OpenBLAS cannot be loaded, and nobody calls the bindings:
   * so they are empty.
   */
  private static void compileBlas(Path folder) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    for (String name : List.of("libjniopenblas.so", "libjniopenblas_nolapack.so")) {
      run(List.of("g++", "-shared", "-x", "c", "/dev/null", "-o", folder.resolve(name).toString()));
    }
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException(command.getFirst() + " failed with " + code);
    }
  }
}
