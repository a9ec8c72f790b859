package dev.tandem.tune.task;

import java.util.List;

/**
 * One try of a task, on a node.
 *
 * @param number counts from 1
 * @param cores the processors it has to itself; empty if none
 * @param process its number; 0 if it has no process of its own
 * @param processStart when that began, in the kernel's ticks: with the number it names a process
 *     for sure
 */
public record Attempt(
    TaskId task,
    int number,
    String node,
    List<Integer> cores,
    List<Integer> gpus,
    long process,
    long processStart) {

  public Attempt {
    cores = List.copyOf(cores);
    gpus = List.copyOf(gpus);
  }
}
