package dev.tandem.nn.torchscript;

import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The modules of an archive. Tensors with dots in their names are in modules within modules, so
 * that Python's {@code state_dict} names them as we do.
 */
final class ScriptModule {

  /** The member that PyTorch expects of every module: whether it is being trained. */
  static final String TRAINING = "training";

  /** The method of the outermost module. */
  static final String FORWARD = "forward";

  /**
   * A tensor of a module.
   *
   * @param number of its data in the archive
   */
  record Tensor(TensorView view, boolean parameter, int number) {}

  private final String type;
  private final Set<String> taken;
  private final Map<String, Tensor> tensors = new LinkedHashMap<>();
  private final Map<String, ScriptModule> modules = new LinkedHashMap<>();

  private ScriptModule(String type, Set<String> taken) {
    this.type = type;
    this.taken = taken;
  }

  /** The outermost module; the data of parameters and buffers are numbered in their order. */
  static ScriptModule of(List<TensorView> parameters, List<TensorView> buffers) {
    ScriptModule root = new ScriptModule("Network", Set.of(TRAINING, FORWARD));
    int number = 0;
    for (TensorView parameter : parameters) {
      root.put(new Tensor(parameter, true, number++));
    }
    for (TensorView buffer : buffers) {
      root.put(new Tensor(buffer, false, number++));
    }
    return root;
  }

  /** The name of its class. Each module has one of its own, since each has other members. */
  String type() {
    return type;
  }

  Map<String, Tensor> tensors() {
    return tensors;
  }

  Map<String, ScriptModule> modules() {
    return modules;
  }

  private void put(Tensor tensor) {
    String name = tensor.view().name();
    ScriptModule owner = this;
    int from = 0;
    for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', from)) {
      String member = name.substring(from, dot);
      owner.check(owner.tensors.containsKey(member), member, name);
      owner = owner.inner(member);
      from = dot + 1;
    }
    String member = name.substring(from);
    owner.check(owner.modules.containsKey(member), member, name);
    owner.tensors.put(member, tensor);
  }

  private ScriptModule inner(String member) {
    String innerType = type + "_" + modules.size();
    return modules.computeIfAbsent(member, _ -> new ScriptModule(innerType, Set.of(TRAINING)));
  }

  private void check(boolean used, String member, String tensor) {
    if (used || taken.contains(member)) {
      throw new UsageException(
          "TorchScript: tensor %s: the name '%s' is reserved; rename the layer"
              .formatted(tensor, member));
    }
  }
}
