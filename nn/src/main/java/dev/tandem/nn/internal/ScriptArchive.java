package dev.tandem.nn.internal;

import dev.tandem.core.TensorView;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.CompilationUnit;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.bytedeco.pytorch.Tensor;

/** TorchScript archives, compiled and written by the engine. */
public final class ScriptArchive {

  private static final String ROOT = "__torch__.Network";

  private ScriptArchive() {}

  /**
   * Writes a module with this method to a file that is not there yet. Tensors with dots in their
   * names are in modules within modules, so that Python's {@code state_dict} names them as we do.
   *
   * @param method TorchScript source
   */
  public static void write(
      Path file, String method, List<TensorView> parameters, List<TensorView> buffers) {
    try (PointerScope _ = new PointerScope()) {
      CompilationUnit unit = new CompilationUnit();
      Map<String, JitModule> modules = new HashMap<>();
      JitModule root = new JitModule(new QualifiedName(ROOT), unit);
      modules.put("", root);
      for (TensorView parameter : parameters) {
        owner(parameter.name(), modules, unit)
            .register_parameter(last(parameter.name()), tensor(parameter), false);
      }
      for (TensorView buffer : buffers) {
        owner(buffer.name(), modules, unit).register_buffer(last(buffer.name()), tensor(buffer));
      }
      root.define(method);
      root.eval();
      root.save(file.toString());
    }
  }

  private static Tensor tensor(TensorView view) {
    return Torch.tensor(view.data(), view.dtype(), view.shape());
  }

  /** The module that a tensor of this name belongs to, made if it is not there. */
  private static JitModule owner(
      String name, Map<String, JitModule> modules, CompilationUnit unit) {
    int dot = name.lastIndexOf('.');
    String path = dot < 0 ? "" : name.substring(0, dot);
    JitModule known = modules.get(path);
    if (known != null) {
      return known;
    }
    // Each module is of a class of its own, since each has other members.
    JitModule module = new JitModule(new QualifiedName(ROOT + modules.size()), unit);
    modules.put(path, module);
    owner(path, modules, unit).register_module(last(path), module);
    return module;
  }

  private static String last(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
