/* fuzz_main.c - runs a fuzz target on files, without any engine.
 *
 *   target FILE...       each file once; with no argument, what stdin has
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static int run(FILE *in, const char *name)
{
    size_t len = 0, room = 4096, got;
    uint8_t *bytes = (uint8_t *)malloc(room), *exact;
    while (bytes && (got = fread(bytes + len, 1, room - len, in)) > 0) {
        len += got;
        if (len == room)
            bytes = (uint8_t *)realloc(bytes, room *= 2);
    }
    /* An allocation without room behind it, so that a sanitizer sees every step too far. */
    exact = (uint8_t *)malloc(len ? len : 1);
    if (!bytes || !exact || ferror(in)) {
        fprintf(stderr, "%s: cannot be read\n", name);
        return 2;
    }
    for (got = 0; got < len; got++)
        exact[got] = bytes[got];
    free(bytes);
    (void)LLVMFuzzerTestOneInput(exact, len);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    int i, rc = 0;
    if (argc < 2)
        return run(stdin, "stdin");
    for (i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        if (!in) {
            perror(argv[i]);
            rc = 2;
            continue;
        }
        if (run(in, argv[i]))
            rc = 2;
        fclose(in);
    }
    return rc;
}
