/*
 * What Node cannot do itself and this product needs of Linux:
 *   ioctl(fd, request, buffer)        one ioctl on a file, the buffer changed in place
 *   watch(fd, buffer, callback)       calls back when the file has bytes: they are in the buffer
 *   unwatch(handle)                   safe twice
 *   notify(path, text)                one datagram to systemd's notification socket
 *
 * Lifetime of a watch: it is owned twice, by its JavaScript handle and by libuv, and freed when
 * both have let go. It ends by unwatch, by an error, when its handle is collected, or when the
 * environment (a worker, the process) is torn down; whichever comes first.
 */
#define NAPI_VERSION 8
#include <errno.h>
#include <fcntl.h>
#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#define MESSAGE_MAX 160
/* Longest text systemd is told, bytes. */
#define NOTIFY_MAX 1024

#define CHECK(call)                                         \
  do {                                                      \
    if ((call) != napi_ok) return throw_napi(env, #call);   \
  } while (0)

static napi_value throw_napi(napi_env env, const char *what) {
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  if (!pending) napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", what);
  return NULL;
}

static napi_value throw_errno(napi_env env, const char *what, int number) {
  char message[MESSAGE_MAX];
  snprintf(message, sizeof message, "%s: %s", what, strerror(number));
  napi_throw_error(env, uv_err_name(uv_translate_sys_error(number)), message);
  return NULL;
}

static napi_value js_ioctl(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value args[3];
  int32_t fd;
  uint32_t request;
  void *data;
  size_t length;
  CHECK(napi_get_cb_info(env, info, &count, args, NULL, NULL));
  CHECK(napi_get_value_int32(env, args[0], &fd));
  CHECK(napi_get_value_uint32(env, args[1], &request));
  CHECK(napi_get_buffer_info(env, args[2], &data, &length));
  /* The request's own size field must be the buffer's: the kernel writes that many bytes. */
  if (_IOC_SIZE(request) != length) return throw_errno(env, "ioctl size", EINVAL);
  if (ioctl(fd, request, data) < 0) return throw_errno(env, "ioctl", errno);
  return NULL;
}

typedef struct {
  uv_poll_t poll; /* first: a handle is its watch */
  napi_env env;
  napi_ref callback;
  napi_ref buffer;
  napi_async_context context;
  napi_async_cleanup_hook_handle cleanup;
  char *data;
  size_t length;
  int fd;
  int owners;
  bool closing;
} watch_t;

static void release(watch_t *watch) {
  watch->owners -= 1;
  if (watch->owners == 0) free(watch);
}

static void on_closed(uv_handle_t *handle) {
  watch_t *watch = (watch_t *)handle;
  /* Removing the hook also tells a teardown that waits for us to go on. */
  if (watch->cleanup != NULL) napi_remove_async_cleanup_hook(watch->cleanup);
  release(watch);
}

static void finish(watch_t *watch) {
  if (watch->closing) return;
  watch->closing = true;
  uv_poll_stop(&watch->poll);
  if (watch->callback != NULL) napi_delete_reference(watch->env, watch->callback);
  if (watch->buffer != NULL) napi_delete_reference(watch->env, watch->buffer);
  if (watch->context != NULL) napi_async_destroy(watch->env, watch->context);
  watch->callback = NULL;
  watch->buffer = NULL;
  watch->context = NULL;
  uv_close((uv_handle_t *)&watch->poll, on_closed);
}

static void on_teardown(napi_async_cleanup_hook_handle handle, void *data) {
  watch_t *watch = data;
  (void)handle;
  finish(watch);
}

static void on_collected(napi_env env, void *data, void *hint) {
  watch_t *watch = data;
  (void)env;
  (void)hint;
  finish(watch);
  release(watch);
}

/* callback(bytes, error): bytes > 0 lie in the buffer, or error is a positive errno. */
static void call(watch_t *watch, ssize_t bytes, int error) {
  napi_env env = watch->env;
  napi_value callback, global, args[2], result, thrown;
  if (napi_get_reference_value(env, watch->callback, &callback) != napi_ok) return;
  napi_get_global(env, &global);
  napi_create_int32(env, (int32_t)bytes, &args[0]);
  napi_create_int32(env, error, &args[1]);
  napi_status status = napi_make_callback(env, watch->context, global, callback, 2, args, &result);
  if (status != napi_pending_exception) return;
  napi_get_and_clear_last_exception(env, &thrown);
  napi_fatal_exception(env, thrown);
}

static void on_ready(uv_poll_t *handle, int status, int events) {
  watch_t *watch = (watch_t *)handle;
  napi_handle_scope scope;
  ssize_t bytes = -1;
  int error = 0;
  (void)events;
  if (watch->closing) return;
  if (status < 0) error = -status;
  else {
    bytes = read(watch->fd, watch->data, watch->length);
    if (bytes < 0) error = errno;
    else if (bytes == 0) error = EPIPE;
  }
  if (error == EAGAIN || error == EINTR) return;
  if (napi_open_handle_scope(watch->env, &scope) != napi_ok) return;
  /* The callback may unwatch: keep the memory until it returns. */
  watch->owners += 1;
  if (error != 0) uv_poll_stop(&watch->poll);
  call(watch, error == 0 ? bytes : 0, error);
  if (error != 0) finish(watch);
  napi_close_handle_scope(watch->env, scope);
  release(watch);
}

static napi_value js_watch(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value args[3], name, handle;
  int32_t fd;
  void *data;
  size_t length;
  uv_loop_t *loop;
  napi_valuetype type;
  CHECK(napi_get_cb_info(env, info, &count, args, NULL, NULL));
  CHECK(napi_get_value_int32(env, args[0], &fd));
  CHECK(napi_get_buffer_info(env, args[1], &data, &length));
  CHECK(napi_typeof(env, args[2], &type));
  if (type != napi_function || length == 0) return throw_napi(env, "watch(fd, buffer, function)");
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
    return throw_errno(env, "fcntl", errno);
  }
  CHECK(napi_get_uv_event_loop(env, &loop));
  CHECK(napi_create_string_utf8(env, "cutcard:watch", NAPI_AUTO_LENGTH, &name));
  watch_t *watch = calloc(1, sizeof *watch);
  if (watch == NULL) return throw_errno(env, "watch", ENOMEM);
  watch->env = env;
  watch->fd = fd;
  watch->data = data;
  watch->length = length;
  int failed = uv_poll_init(loop, &watch->poll, fd);
  if (failed != 0) {
    free(watch);
    return throw_errno(env, "poll", -failed);
  }
  /* From here on libuv owns the watch: every way out goes through finish. */
  watch->owners = 1;
  bool ready = napi_create_reference(env, args[2], 1, &watch->callback) == napi_ok &&
               napi_create_reference(env, args[1], 1, &watch->buffer) == napi_ok &&
               napi_async_init(env, NULL, name, &watch->context) == napi_ok &&
               napi_add_async_cleanup_hook(env, on_teardown, watch, &watch->cleanup) == napi_ok &&
               napi_create_external(env, watch, on_collected, NULL, &handle) == napi_ok;
  if (!ready) {
    finish(watch);
    return throw_napi(env, "watch");
  }
  watch->owners += 1;
  failed = uv_poll_start(&watch->poll, UV_READABLE | UV_DISCONNECT, on_ready);
  if (failed != 0) {
    finish(watch);
    return throw_errno(env, "poll", -failed);
  }
  return handle;
}

static napi_value js_unwatch(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value args[1];
  void *data;
  CHECK(napi_get_cb_info(env, info, &count, args, NULL, NULL));
  CHECK(napi_get_value_external(env, args[0], &data));
  finish(data);
  return NULL;
}

static napi_value js_notify(napi_env env, napi_callback_info info) {
  size_t count = 2, path_length, text_length;
  napi_value args[2];
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  char text[NOTIFY_MAX + 1];
  CHECK(napi_get_cb_info(env, info, &count, args, NULL, NULL));
  CHECK(napi_get_value_string_utf8(env, args[0], NULL, 0, &path_length));
  CHECK(napi_get_value_string_utf8(env, args[1], NULL, 0, &text_length));
  if (path_length == 0 || path_length >= sizeof to.sun_path || text_length > NOTIFY_MAX) {
    return throw_errno(env, "notify", ENAMETOOLONG);
  }
  CHECK(napi_get_value_string_utf8(env, args[0], to.sun_path, sizeof to.sun_path, &path_length));
  CHECK(napi_get_value_string_utf8(env, args[1], text, sizeof text, &text_length));
  /* "@name" is an abstract socket: its address starts with a zero byte. */
  if (to.sun_path[0] == '@') to.sun_path[0] = '\0';
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return throw_errno(env, "notify socket", errno);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path_length);
  ssize_t sent = sendto(fd, text, text_length, MSG_NOSIGNAL, (struct sockaddr *)&to, size);
  int error = errno;
  close(fd);
  if (sent < 0) return throw_errno(env, "notify", error);
  return NULL;
}

static napi_value init(napi_env env, napi_value exports) {
  napi_property_descriptor properties[] = {
      {"ioctl", NULL, js_ioctl, NULL, NULL, NULL, napi_default, NULL},
      {"watch", NULL, js_watch, NULL, NULL, NULL, napi_default, NULL},
      {"unwatch", NULL, js_unwatch, NULL, NULL, NULL, napi_default, NULL},
      {"notify", NULL, js_notify, NULL, NULL, NULL, napi_default, NULL},
  };
  CHECK(napi_define_properties(env, exports, sizeof properties / sizeof *properties, properties));
  return exports;
}

NAPI_MODULE(NODE_GYP_MODULE_NAME, init)
