/*
 * Storage that charges per request: a read-only filesystem that shows a folder and waits before it
 * answers each read, whatever its size.
 *
 *   latency_fs FOLDER MOUNT_POINT MICROSECONDS
 *
 * Prints "mounted" and serves until it is asked to end (SIGTERM, SIGINT) or its input ends, and then
 * unmounts. If it dies by SIGKILL, fusermount3 unmounts in its place. Requests wait side by side, as
 * many as the kernel sends. What comes is kept in the page cache as from any disk: read-ahead, mmap
 * and O_DIRECT work as usual.
 */
#define FUSE_USE_VERSION 312
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define REQUESTS_AT_ONCE 128

static int root;
static struct timespec latency;

/* Paths come with a slash in front; relative to the folder they have none. */
static const char *below(const char *path) {
  return path[1] == '\0' ? "." : path + 1;
}

static void *begin(struct fuse_conn_info *connection, struct fuse_config *config) {
  connection->max_background = REQUESTS_AT_ONCE;
  connection->congestion_threshold = REQUESTS_AT_ONCE;
  /* Else every opening would drop what others have read. */
  config->kernel_cache = 1;
  return NULL;
}

static int attributes(const char *path, struct stat *found, struct fuse_file_info *file) {
  (void)file;
  return fstatat(root, below(path), found, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : -errno;
}

static int list(const char *path, void *names, fuse_fill_dir_t fill, off_t offset,
                struct fuse_file_info *file, enum fuse_readdir_flags flags) {
  int folder = openat(root, below(path), O_RDONLY | O_DIRECTORY);
  DIR *entries = folder < 0 ? NULL : fdopendir(folder);
  struct dirent *entry;
  (void)offset;
  (void)file;
  (void)flags;
  if (entries == NULL) {
    return -errno;
  }
  while ((entry = readdir(entries)) != NULL) {
    fill(names, entry->d_name, NULL, 0, 0);
  }
  closedir(entries);
  return 0;
}

static int open_file(const char *path, struct fuse_file_info *file) {
  int opened;
  if ((file->flags & O_ACCMODE) != O_RDONLY) {
    return -EROFS;
  }
  opened = openat(root, below(path), O_RDONLY);
  file->fh = (uint64_t)opened;
  return opened < 0 ? -errno : 0;
}

static int read_file(const char *path, char *target, size_t size, off_t offset,
                     struct fuse_file_info *file) {
  size_t done = 0;
  (void)path;
  nanosleep(&latency, NULL);
  while (done < size) {
    ssize_t count = pread((int)file->fh, target + done, size - done, offset + (off_t)done);
    if (count < 0) {
      return -errno;
    }
    if (count == 0) {
      break;
    }
    done += (size_t)count;
  }
  return (int)done;
}

static int close_file(const char *path, struct fuse_file_info *file) {
  (void)path;
  close((int)file->fh);
  return 0;
}

static int statistics(const char *path, struct statvfs *found) {
  (void)path;
  return fstatvfs(root, found) == 0 ? 0 : -errno;
}

static const struct fuse_operations operations = {
    .init = begin,
    .getattr = attributes,
    .readdir = list,
    .open = open_file,
    .read = read_file,
    .release = close_file,
    .statfs = statistics,
};

/* Who started us is gone when our input ends. */
static void *watch_input(void *unused) {
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  kill(getpid(), SIGTERM);
  return unused;
}

/* With its signals blocked, so that they reach the thread that waits for them. */
static void start_watching(void) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_create(&thread, NULL, watch_input, NULL);
  pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char **argv) {
  char *words[] = {argv[0], "-o", "ro,auto_unmount,fsname=tandem-latency"};
  struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
  struct fuse_loop_config *loop = fuse_loop_cfg_create();
  struct fuse *filesystem;
  long microseconds;
  int code;
  if (argc != 4) {
    fprintf(stderr, "see the beginning of latency_fs.c for the arguments\n");
    return 2;
  }
  root = open(argv[1], O_RDONLY | O_DIRECTORY);
  if (root < 0) {
    perror(argv[1]);
    return 1;
  }
  microseconds = atol(argv[3]);
  latency.tv_sec = microseconds / 1000000;
  latency.tv_nsec = microseconds % 1000000 * 1000;
  filesystem = fuse_new(&arguments, &operations, sizeof operations, NULL);
  if (filesystem == NULL || fuse_mount(filesystem, argv[2]) != 0) {
    return 1;
  }
  fuse_set_signal_handlers(fuse_get_session(filesystem));
  start_watching();
  printf("mounted\n");
  fflush(stdout);
  fuse_loop_cfg_set_max_threads(loop, REQUESTS_AT_ONCE);
  code = fuse_loop_mt(filesystem, loop);
  fuse_unmount(filesystem);
  fuse_destroy(filesystem);
  return code == 0 || code == SIGTERM || code == SIGINT ? 0 : 1;
}
