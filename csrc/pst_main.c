/* pst_main.c - the program `pst`: the commands on standard streams. */
#include <stdio.h>

#include "pst_host.h"

static bool write_to(void *host, const void *bytes, size_t len, FILE *f)
{
    (void)host;
    return fwrite(bytes, 1, len, f) == len && fflush(f) == 0;
}

static bool write_out(void *host, const void *bytes, size_t len)
{
    return write_to(host, bytes, len, stdout);
}

static bool write_err(void *host, const void *bytes, size_t len)
{
    return write_to(host, bytes, len, stderr);
}

int main(int argc, char **argv)
{
    pst_host host;
    pst_host_init(&host);
    host.write_out = write_out;
    host.write_err = write_err;
    host.out_color = pst_host_color(1);
    host.progress = pst_host_color(2);
    return pst_cli(&host, "pst", argc > 0 ? argc - 1 : 0, (const char *const *)argv + 1);
}
