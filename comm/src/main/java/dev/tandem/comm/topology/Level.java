package dev.tandem.comm.topology;

/** How far apart two processes are, or may be to exchange samples; nearest first. */
public enum Level {
  /** The same process: nothing is moved. */
  PROCESS,
  /** The same node, through its memory. */
  NODE,
  /** Nodes at the same switch. */
  SWITCH,
  /** Nodes in the same rack. */
  RACK,
  /** Anywhere in the machine. */
  MACHINE
}
