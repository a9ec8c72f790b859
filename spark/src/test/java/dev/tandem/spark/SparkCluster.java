package dev.tandem.spark;

import dev.tandem.tune.remote.SparkOptions;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A Master and Workers as processes of this machine, each Worker on a loopback address of its own,
 * so that they are different hosts for Spark.
 */
final class SparkCluster implements AutoCloseable {

  static final String SECRET = "secret of the tests, 127.0.0.x only";

  private static final int PATIENCE = Integer.getInteger("tandem.spark.patience", 180);
  private static final long START_SECONDS = 120;

  private final Path folder;
  private final int port;
  private final List<Process> processes = new ArrayList<>();

  private SparkCluster(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /**
   * Starts one.
   *
   * @param cores of each Worker
   * @param workers how many, on 127.0.0.2 and the addresses after it
   */
  static SparkCluster start(Path folder, int workers, int cores) throws Exception {
    SparkCluster cluster = new SparkCluster(folder, freePort());
    try {
      cluster.run("master", "127.0.0.1", "org.apache.spark.deploy.master.Master", List.of());
      cluster.awaitMaster();
      for (int worker = 0; worker < workers; worker++) {
        cluster.run(
            "worker-" + worker,
            host(worker),
            "org.apache.spark.deploy.worker.Worker",
            List.of(
                "--cores",
                Integer.toString(cores),
                "--memory",
                "1g",
                "--work-dir",
                folder.resolve("work-" + worker).toString(),
                cluster.master()));
      }
      return cluster;
    } catch (Exception e) {
      cluster.close();
      throw e;
    }
  }

  static String host(int worker) {
    return "127.0.0." + (2 + worker);
  }

  String master() {
    return "spark://127.0.0.1:" + port;
  }

  /** An engine on this cluster, when it has so many nodes. */
  SparkEngine engine(int nodes) {
    return SparkEngine.open(options(nodes), classes(), SECRET, changed -> {});
  }

  /** What it needs to use this cluster. */
  SparkOptions options(int nodes) {
    return new SparkOptions(master(), "", "127.0.0.1", nodes, 0, "512m", PATIENCE, Map.of());
  }

  /** The class path of executors: ours, in the folder of this test. */
  static String classes() {
    List<String> paths = new ArrayList<>();
    for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!path.isEmpty() && !path.startsWith(home() + "/jars")) {
        paths.add(Path.of(path).toAbsolutePath().toString());
      }
    }
    return String.join(File.pathSeparator, paths);
  }

  /** The folder with Spark's jars. */
  static String home() {
    return System.getProperty("tandem.spark.home");
  }

  /** The processes of executors on the host of a worker. */
  static List<ProcessHandle> executors(String host) {
    return ProcessHandle.allProcesses()
        .filter(
            each -> {
              String line = commandLine(each.pid());
              return line.contains("CoarseGrainedExecutorBackend")
                  && line.contains("--hostname " + host + " ");
            })
        .toList();
  }

  /** All of it; what the JDK shows ends at 4 KiB. */
  private static String commandLine(long process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process), "cmdline"))
          .replace('\0', ' ');
    } catch (IOException e) {
      return ""; // It has ended.
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitMaster() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException e) {
        if (System.nanoTime() > end || !processes.getFirst().isAlive()) {
          throw new IOException("the Master does not start; see " + folder, e);
        }
        processes.getFirst().waitFor(100, TimeUnit.MILLISECONDS);
      }
    }
  }

  private void run(String name, String host, String program, List<String> further)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dspark.authenticate=true",
                "-Dspark.network.crypto.enabled=true",
                "-Dspark.network.crypto.cipher=AES/GCM/NoPadding",
                "-Dspark.deploy.maxExecutorRetries=-1",
                "-cp",
                home() + "/jars/*",
                program,
                "--host",
                host,
                "--webui-port",
                "0"));
    if (further.isEmpty()) {
      command.addAll(List.of("--port", Integer.toString(port)));
    }
    command.addAll(further);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("SPARK_HOME", home());
    builder.environment().put("SPARK_SCALA_VERSION", "2.13");
    builder.environment().put("SPARK_LOCAL_IP", host);
    builder.environment().put("_SPARK_AUTH_SECRET", SECRET);
    File log = Files.createDirectories(folder).resolve(name + ".log").toFile();
    processes.add(builder.redirectErrorStream(true).redirectOutput(log).start());
  }

  @Override
  public void close() {
    for (Process process : processes.reversed()) {
      process.destroy();
      if (!process
          .onExit()
          .thenApply(p -> true)
          .completeOnTimeout(false, 10, TimeUnit.SECONDS)
          .join()) {
        process.destroyForcibly().onExit().join();
      }
    }
  }
}
