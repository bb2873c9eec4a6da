// Confines a program that decodes files of strangers, then becomes it. swift-subprocess has no hook between fork and
// exec on Linux, and namespaces (unshare, bwrap) are refused in a default container, so the executable is started once
// more and this runs before its `main`, as runc's nsexec does. Neither root nor a capability is needed.
#define _GNU_SOURCE
#include "include/ToolSandbox.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the system calls of this architecture are not filtered"
#endif

// Newer than the headers of some systems; the same on all architectures.
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif
#ifndef __NR_setxattrat
#define __NR_setxattrat 463
#define __NR_removexattrat 466
#endif
#ifndef __NR_file_setattr
#define __NR_file_setattr 469
#endif

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))

// Exit statuses of the same meaning as those of env(1) and timeout(1).
enum { CANNOT_CONFINE = 125, CANNOT_EXECUTE = 126, NOT_FOUND = 127 };

static void fail(const char *what) {
  dprintf(STDERR_FILENO, "sandbox: %s: %s\n", what, strerror(errno));
  _exit(CANNOT_CONFINE);
}

static void limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit current, wanted;
  if (getrlimit(resource, &current) != 0) fail("getrlimit");
  wanted.rlim_max = hard < current.rlim_max ? hard : current.rlim_max;
  wanted.rlim_cur = soft < wanted.rlim_max ? soft : wanted.rlim_max;
  if (setrlimit(resource, &wanted) != 0) fail("setrlimit");
}

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

enum {
  READ_FILE = LANDLOCK_ACCESS_FS_READ_FILE,
  READ = READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
  RUN_FILE = READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE,
  RUN = READ | LANDLOCK_ACCESS_FS_EXECUTE,
  WRITE_FILE = READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE,
  CHANGE = READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_TRUNCATE,
};

/// Allows access to what is at a path, if there is something.
static void allow(int rules, const char *path, unsigned long long access, unsigned long long handled) {
  struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
  if (rule.parent_fd < 0) return;
  struct stat status;
  if (fstat(rule.parent_fd, &status) != 0) fail("stat");
  // What concerns what is in a folder is refused for anything else.
  if (!S_ISDIR(status.st_mode)) access &= RUN_FILE | WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
  rule.allowed_access = access & handled;
  if (syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) fail("landlock_add_rule");
  close(rule.parent_fd);
}

/// No files but the working folder, those that are named by arguments, and what programs need. A kernel without
/// Landlock (before 5.13) leaves this to the permissions of the user.
static void confine_files(char **program) {
  int version = (int)syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 0) {
    if (errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM) return;
    fail("landlock");
  }
  // All that the first version knows.
  unsigned long long handled = (1ULL << 13) - 1;
  if (version >= 3) handled |= LANDLOCK_ACCESS_FS_TRUNCATE;
  struct landlock_ruleset_attr attributes = {.handled_access_fs = handled};
  int rules = (int)syscall(__NR_landlock_create_ruleset, &attributes, sizeof(attributes), 0);
  if (rules < 0) fail("landlock_create_ruleset");
  static const char *const programs[] = {"/usr", "/bin", "/lib", "/lib64"};
  static const char *const data[] = {
    "/etc/ld.so.cache", "/etc/fonts", "/var/cache/fontconfig", "/etc/localtime", "/proc/self", "/proc/cpuinfo",
    "/proc/meminfo", "/sys/devices/system/cpu", "/dev/urandom", "/dev/zero",
  };
  for (size_t i = 0; i < LENGTH(programs); i++) allow(rules, programs[i], RUN, handled);
  for (size_t i = 0; i < LENGTH(data); i++) allow(rules, data[i], READ, handled);
  allow(rules, "/dev/null", WRITE_FILE, handled);
  allow(rules, ".", CHANGE, handled);
  allow(rules, program[0], RUN_FILE, handled);
  for (char **argument = program + 1; *argument != NULL; argument++) {
    struct stat status;
    if ((*argument)[0] == '/' && stat(*argument, &status) == 0 && S_ISREG(status.st_mode))
      allow(rules, *argument, READ_FILE, handled);
  }
  if (syscall(__NR_landlock_restrict_self, rules, 0) != 0) fail("landlock_restrict_self");
  close(rules);
}

/// No network, no other processes (threads are allowed), no hand on those that run already, and no changes of what files
/// are besides their content, which Landlock does not govern: they would reach every file of the user.
static void filter(void) {
  // io_uring would open sockets past this filter.
  static const int refused[] = {
    __NR_socket, __NR_socketpair, __NR_connect, __NR_bind, __NR_listen, __NR_accept, __NR_accept4,
    __NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register,
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_kill, __NR_tkill, __NR_rt_sigqueueinfo,
    __NR_rt_tgsigqueueinfo, __NR_pidfd_open,
    __NR_pidfd_getfd, __NR_pidfd_send_signal, __NR_setpgid, __NR_setsid,
    __NR_unshare, __NR_setns, __NR_mount, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_keyctl,
    __NR_fchmod, __NR_fchmodat, __NR_fchmodat2, __NR_fchown, __NR_fchownat, __NR_utimensat,
    __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, __NR_setxattrat,
    __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr, __NR_removexattrat, __NR_file_setattr,
#ifdef __NR_fork
    __NR_fork, __NR_vfork,
#endif
#ifdef __NR_chmod
    __NR_chmod, __NR_chown, __NR_lchown, __NR_utime, __NR_utimes, __NR_futimesat,
#endif
  };
  struct sock_filter program[32 + 2 * LENGTH(refused)];
  size_t count = 0;
#define ADD(...) program[count++] = (struct sock_filter)__VA_ARGS__
#define ALLOW_IF_FIRST_ARGUMENT(number, test, value) \
  ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4)); \
  ADD(LOAD(args[0])); \
  ADD(BPF_JUMP(BPF_JMP | test | BPF_K, value, 1, 0)); \
  ADD(REFUSE(EPERM)); \
  ADD(RETURN(SECCOMP_RET_ALLOW))
  ADD(LOAD(arch));
  ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
  ADD(RETURN(SECCOMP_RET_KILL_PROCESS));
  ADD(LOAD(nr));
#ifdef __x86_64__
  // The x32 calls have numbers of their own.
  ADD(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  ADD(RETURN(SECCOMP_RET_KILL_PROCESS));
#endif
  for (size_t i = 0; i < LENGTH(refused); i++) {
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused[i], 0, 1));
    ADD(REFUSE(EPERM));
  }
  // The flags of clone3 are in memory, which a filter cannot read; libc falls back to clone.
  ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1));
  ADD(REFUSE(ENOSYS));
  ALLOW_IF_FIRST_ARGUMENT(__NR_clone, BPF_JSET, CLONE_THREAD);
  // abort(3) signals the own process; getrlimit(3) asks for it.
  ALLOW_IF_FIRST_ARGUMENT(__NR_tgkill, BPF_JEQ, (unsigned)getpid());
  ALLOW_IF_FIRST_ARGUMENT(__NR_prlimit64, BPF_JEQ, 0);
  ADD(RETURN(SECCOMP_RET_ALLOW));
  struct sock_fprog loaded = {.len = (unsigned short)count, .filter = program};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &loaded, 0, 0) != 0) fail("seccomp");
}

/// glibc passes a constructor the arguments of `main`.
__attribute__((constructor)) static void become_tool(int argc, char **argv) {
  if (argc < 6 || strcmp(argv[1], TOOL_SANDBOX_ARGUMENT) != 0) return;
  rlim_t seconds = strtoull(argv[2], NULL, 10), memory = strtoull(argv[3], NULL, 10);
  rlim_t bytes = strtoull(argv[4], NULL, 10);
  limit(RLIMIT_CPU, seconds, seconds + 1);
  limit(RLIMIT_AS, memory, memory);
  limit(RLIMIT_FSIZE, bytes, bytes);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_NOFILE, 256, 256);
  // The service ignores some of the signals by which a limit ends a program.
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXCPU, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  umask(077);
  // It ends with the service, also when that is killed, and first when memory is short.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) fail("pdeathsig");
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    if (write(score, "1000", 4) < 0) { /* A kernel without it has no other order either. */ }
    close(score);
  }
  setpriority(PRIO_PROCESS, 0, 10);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
  confine_files(argv + 5);
  filter();
  execv(argv[5], argv + 5);
  int error = errno;
  dprintf(STDERR_FILENO, "sandbox: %s\n", strerror(error));
  _exit(error == ENOENT ? NOT_FOUND : CANNOT_EXECUTE);
}
#endif
