/*
 * What moves the wires of an emulated guest: a program of its own beside the one under test. It
 * takes one command a line from a port of the host and answers each with one line.
 *
 *   pull LINE LEVEL                    ok ATNS            an input goes high (1) or low (0)
 *   value LINE                         ok LEVEL           level of any line as it is on the wire
 *   play LINE:LEVEL:ATUS ...           ok LATENS          edges at times after the first, us
 *   flip LINE COUNT PAUSEUS            ok LATENS          so many alternating edges
 *   pulse LINE COUNT                   ok                 so many pulses, up and down again
 *                                                         before the kernel's thread may look
 *   answer LINE LEVEL OUT WANT         ok ATNS TOOKNS     an edge, and how long until an output
 *                                                         follows; `late` after two seconds
 *
 * Times are CLOCK_MONOTONIC, as process.hrtime and the kernel's edges are. While edges are played
 * the processor is kept busy, behind every other program: an idle guest waits for its host, whose
 * clock it then follows, and a card pulled at the wrong speed is another card.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINES_MAX 64
#define COMMAND_MAX 65536
#define ANSWER_LIMIT_NS 2000000000LL
#define PULSE_APART_US 3000
/* Ahead of programs, behind the kernel's interrupt threads (50); and ahead of these too. */
#define USUAL 10
#define ABOVE_THREADS 60

static const char *folder;
static int pulls[LINES_MAX], values[LINES_MAX];

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int line_file(int *kept, int line, const char *name, int flags) {
  char path[256];
  if (line < 0 || line >= LINES_MAX) return -1;
  if (kept[line] > 0) return kept[line];
  snprintf(path, sizeof path, "%s/sim_gpio%d/%s", folder, line, name);
  kept[line] = open(path, flags | O_CLOEXEC);
  return kept[line];
}

static int pull(int line, int high) {
  int fd = line_file(pulls, line, "pull", O_WRONLY);
  const char *word = high ? "pull-up" : "pull-down";
  if (fd < 0) return -1;
  return pwrite(fd, word, strlen(word), 0) < 0 ? -1 : 0;
}

static int value(int line) {
  char text[8];
  int fd = line_file(values, line, "value", O_RDONLY);
  if (fd < 0 || pread(fd, text, sizeof text, 0) < 1) return -1;
  return text[0] == '1';
}

static void rank(int priority) {
  struct sched_param p = {.sched_priority = priority};
  sched_setscheduler(0, SCHED_FIFO, &p);
}

/* A program that does nothing, whenever nobody else has anything to do. */
static pid_t keep_busy(void) {
  pid_t pid = fork();
  if (pid != 0) return pid;
  struct sched_param p = {.sched_priority = 0};
  sched_setscheduler(0, SCHED_IDLE, &p);
  for (volatile unsigned i = 0;; i++) continue;
}

static void let_rest(pid_t busy) {
  if (busy <= 0) return;
  kill(busy, SIGKILL);
  waitpid(busy, NULL, 0);
}

/* Returns how late it is, ns. */
static int64_t wait_until(int64_t due) {
  struct timespec t = {.tv_sec = due / 1000000000LL, .tv_nsec = due % 1000000000LL};
  if (due > now_ns()) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
  return now_ns() - due;
}

static void play(char *list, FILE *out) {
  int64_t start = now_ns(), late = 0;
  for (char *word = strtok(list, " \n"); word != NULL; word = strtok(NULL, " \n")) {
    int line, level;
    long long at_us;
    if (sscanf(word, "%d:%d:%lld", &line, &level, &at_us) != 3) {
      fprintf(out, "bad %s\n", word);
      return;
    }
    int64_t over = wait_until(start + at_us * 1000);
    if (over > late) late = over;
    if (pull(line, level) < 0) {
      fprintf(out, "failed line %d: %s\n", line, strerror(errno));
      return;
    }
  }
  fprintf(out, "ok %lld\n", (long long)late);
}

static void pulse(int line, int count, FILE *out) {
  for (int i = 0; i < count; i++) {
    rank(ABOVE_THREADS);
    int failed = pull(line, 1) < 0 || pull(line, 0) < 0;
    rank(USUAL);
    if (failed) {
      fprintf(out, "failed line %d: %s\n", line, strerror(errno));
      return;
    }
    usleep(PULSE_APART_US);
  }
  fprintf(out, "ok\n");
}

static void flip(int line, int count, int pause_us, FILE *out) {
  int64_t start = now_ns(), late = 0;
  int level = value(line);
  for (int i = 0; i < count; i++) {
    int64_t over = wait_until(start + (int64_t)i * pause_us * 1000);
    if (over > late) late = over;
    level = !level;
    if (pull(line, level) < 0) {
      fprintf(out, "failed line %d: %s\n", line, strerror(errno));
      return;
    }
  }
  fprintf(out, "ok %lld\n", (long long)late);
}

static void answer(int line, int level, int output, int want, FILE *out) {
  int64_t start = now_ns(), now = start;
  if (pull(line, level) < 0) {
    fprintf(out, "failed line %d: %s\n", line, strerror(errno));
    return;
  }
  while (value(output) != want) {
    now = now_ns();
    if (now - start > ANSWER_LIMIT_NS) {
      fprintf(out, "late\n");
      return;
    }
    usleep(20);
  }
  fprintf(out, "ok %lld %lld\n", (long long)start, (long long)(now_ns() - start));
}

static void obey(char *command, FILE *out) {
  int a, b, c, d;
  if (sscanf(command, "pull %d %d", &a, &b) == 2) {
    int64_t at = now_ns();
    if (pull(a, b) < 0) fprintf(out, "failed line %d: %s\n", a, strerror(errno));
    else fprintf(out, "ok %lld\n", (long long)at);
  } else if (sscanf(command, "value %d", &a) == 1) {
    fprintf(out, "ok %d\n", value(a));
  } else if (strncmp(command, "play ", 5) == 0) {
    pid_t busy = keep_busy();
    play(command + 5, out);
    let_rest(busy);
  } else if (sscanf(command, "flip %d %d %d", &a, &b, &c) == 3) {
    pid_t busy = keep_busy();
    flip(a, b, c, out);
    let_rest(busy);
  } else if (sscanf(command, "pulse %d %d", &a, &b) == 2) {
    pulse(a, b, out);
  } else if (sscanf(command, "answer %d %d %d %d", &a, &b, &c, &d) == 4) {
    answer(a, b, c, d, out);
  } else {
    fprintf(out, "unknown %s", command);
  }
}

int main(int argc, char **argv) {
  static char command[COMMAND_MAX];
  if (argc != 3) {
    fprintf(stderr, "agent PORT FOLDER\n");
    return 2;
  }
  folder = argv[2];
  int port = open(argv[1], O_RDWR | O_CLOEXEC);
  if (port < 0) {
    fprintf(stderr, "agent: %s: %s\n", argv[1], strerror(errno));
    return 1;
  }
  FILE *in = fdopen(port, "r");
  FILE *out = fdopen(dup(port), "w");
  if (in == NULL || out == NULL) return 1;
  rank(USUAL);
  fprintf(out, "ready\n");
  fflush(out);
  while (fgets(command, sizeof command, in) != NULL) {
    obey(command, out);
    fflush(out);
  }
  return 0;
}
