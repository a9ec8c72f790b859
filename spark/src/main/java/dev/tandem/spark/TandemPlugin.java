package dev.tandem.spark;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * The way from executors to the driver: a question, and its answer, as JSON in UTF-8. Spark makes
 * this by its name, so the driver's receiver and the executor's side are those of the process:
 * Spark has one context and one executor in each.
 */
public final class TandemPlugin implements SparkPlugin {

  private static final AtomicReference<UnaryOperator<String>> RECEIVER = new AtomicReference<>();
  private static final AtomicReference<ExecutorSide> EXECUTOR = new AtomicReference<>();

  /** Called by Spark. */
  public TandemPlugin() {}

  /** What answers questions in the driver; to be set before the context is made. */
  static void receiver(UnaryOperator<String> receiver) {
    RECEIVER.set(receiver);
  }

  /** What runs tasks in this executor. */
  static ExecutorSide executor() {
    ExecutorSide side = EXECUTOR.get();
    if (side == null) {
      throw new IllegalStateException("this executor is not ready");
    }
    return side;
  }

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      @Override
      public Map<String, String> init(SparkContext context, PluginContext plugin) {
        return Map.of();
      }

      @Override
      public Object receive(Object message) {
        return message instanceof byte[] bytes
            ? RECEIVER
                .get()
                .apply(new String(bytes, StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8)
            : new byte[0];
      }
    };
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorPlugin() {
      @Override
      public void init(PluginContext plugin, Map<String, String> settings) {
        ExecutorSide side = new ExecutorSide(plugin);
        EXECUTOR.set(side);
        side.introduce();
      }

      @Override
      public void shutdown() {
        ExecutorSide side = EXECUTOR.getAndSet(null);
        if (side != null) {
          side.close();
        }
      }
    };
  }
}
