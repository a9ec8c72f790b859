package dev.tandem.comm.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A remote shell for tests: every host is this one, and as with ssh a shell parses the words. */
final class RemoteShell {

  private RemoteShell() {}

  /** Writes the program. */
  static Path write(Path folder) throws IOException {
    Path shell = folder.resolve("remote-shell");
    Files.writeString(shell, "#!/bin/sh\nshift\nsh -c \"$*\"\n");
    return Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
  }
}
