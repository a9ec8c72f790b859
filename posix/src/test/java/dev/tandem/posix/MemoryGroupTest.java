package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel's files say, in folders that look like its own. */
class MemoryGroupTest {

  @TempDir Path groups;

  private MemoryGroup group(String memberships) throws IOException {
    return new MemoryGroup(Files.writeString(groups.resolve("self"), memberships), groups);
  }

  private void write(String file, String text) throws IOException {
    Path path = groups.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void version2() throws IOException {
    write("job/step/memory.stat", "anon 1000\nfile 7\nshmem 24\n");
    write("job/step/memory.events", "low 0\nmax 3\noom 2\noom_kill 2\noom_group_kill 0\n");
    MemoryGroup group = group("0::/job/step\n");
    assertEquals(2, group.kills());
    assertEquals(1024, group.held());
  }

  @Test
  void version1() throws IOException {
    write("memory/job/memory.stat", "rss 5\ntotal_rss 1000\ntotal_shmem 24\n");
    write("memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    MemoryGroup group = group("4:cpu:/\n8:memory:/job\n0::/\n");
    assertEquals(1, group.kills());
    assertEquals(1024, group.held());
  }

  /** The group's path is that of the host, but the container sees its own group alone. */
  @Test
  void inAContainer() throws IOException {
    write("memory.stat", "anon 1\n");
    write("memory.events", "oom_kill 4\n");
    assertEquals(4, group("0::/kubepods/pod1/container2\n").kills());
  }

  @Test
  void withoutAny() throws IOException {
    assertEquals(0, group("").kills());
    assertEquals(0, group("0::/\n").held());
  }
}
