{
  "targets": [
    {
      "target_name": "cutcard_native",
      "sources": ["cutcard_native.c"],
      "cflags": ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2"]
    }
  ]
}
