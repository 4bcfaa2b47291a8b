/* convert_check.c - pst_convert() on pairs of images of the same data: see xt/convert.pl.
 *
 * Reads pairs from the standard input: native (freeze), network (nfreeze), each with its length
 * in 4 bytes, big-endian. Of each pair: native becomes network, byte for byte; network becomes
 * native, if no float and no integer beyond 32 bits stands in it; native goes to every other
 * kind of machine and comes back as it was (to integers of 4 bytes only if there is none beyond
 * 32 bits). Every --memory N, one conversion is repeated with each of its allocations failing.
 * Exit status 1 and the first differences on a failure.
 */
#include "check_memory.h"
#include "pst_convert.h"

static const char *const machines[] = {
    "1234/4/4/4/8", "1234/4/4/4/12", "4321/4/4/4/8", "4321/4/4/4/12", "12345678/4/4/4/8",
    "12345678/4/8/8/8", "12345678/4/8/8/16", "87654321/4/4/4/16", "87654321/4/8/8/8", "87654321/4/8/8/16"
};
enum { MACHINES = sizeof machines / sizeof *machines };

static unsigned long cases, conversions, there_and_back, network_and_back, failed_allocations, wrong;

static pst_err convert(const bytes *from, const char *target, bytes *to)
{
    pst_conversion c;
    pst_source source;
    memset(&c, 0, sizeof c);
    pst_source_memory(&source, from->start, from->len);
    c.source = &source;
    c.memory = &memory;
    c.minor = -1;
    c.digits = PST_DIGITS_PERL;
    c.write = append;
    c.host = to;
    to->len = 0;
    conversions++;
    if (!pst_convert_target(&c.target, target))
        abort();
    return pst_convert(&c) ? PST_OK : c.error.code;
}

static void expect(const char *what, pst_err err, const bytes *have, const bytes *want)
{
    size_t at = 0;
    if (err == PST_OK && have->len == want->len && memcmp(have->start, want->start, want->len) == 0)
        return;
    if (wrong++ >= 10)
        return;
    while (at < have->len && at < want->len && have->start[at] == want->start[at])
        at++;
    printf("not ok: pair %lu, %s: %s, %lu bytes for %lu, differ at %lu\n", cases, what, pst_error_name(err),
           (unsigned long)have->len, (unsigned long)want->len, (unsigned long)at);
}

/* What a native image holds that does not come back from everywhere. */
static void look_for_numbers(const bytes *image, bool *big, bool *real)
{
    pst_source source;
    pst_walk walk;
    pst_event ev;
    *big = *real = false;
    pst_source_memory(&source, image->start, image->len);
    if (pst_walk_init(&walk, &source, &memory, false))
        while (pst_walk_next(&walk, &ev))
            if (ev.kind == PST_EV_BEGIN) {
                *big = *big || (ev.token.marker == PST_INTEGER && ev.token.iv != (int32_t)ev.token.iv);
                *real = *real || ev.token.marker == PST_DOUBLE;
            }
    pst_walk_release(&walk);
}

static void starve(const bytes *native)
{
    static bytes out;
    long n;
    for (n = 0; n < 1000; n++) {
        pst_err err;
        allocations_left = n;
        err = convert(native, "87654321", &out);
        allocations_left = -1;
        if (live && wrong++ < 10)
            printf("not ok: pair %lu, memory is left\n", cases);
        live = 0;
        if (err == PST_OK)
            return;
        failed_allocations++;
        if (err != PST_ERR_MEMORY && wrong++ < 10)
            printf("not ok: pair %lu, without memory: %s\n", cases, pst_error_name(err));
    }
}

static void check(const bytes *native, const bytes *network)
{
    static bytes there, back;
    bool big, real;
    size_t i;
    look_for_numbers(native, &big, &real);
    expect("native to network", convert(native, "network", &there), &there, network);
    expect("network to network", convert(network, "network", &back), &back, network);
    expect("native to native", convert(native, "native", &back), &back, native);
    if (!big && !real) {
        network_and_back++;
        expect("network to native", convert(network, "native", &back), &back, native);
    }
    for (i = 0; i < MACHINES; i++) {
        pst_err err = convert(native, machines[i], &there);
        if (err == PST_OK)
            err = convert(&there, "network", &back);
        if (!big || machines[i][4] != '/')
            expect(machines[i], err, &back, network);
        if (big && machines[i][4] == '/')
            continue;
        there_and_back++;
        expect(machines[i], convert(&there, "native", &back), &back, native);
    }
}

int main(int argc, char **argv)
{
    static bytes native, network;
    unsigned long every = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    while (read_bytes(stdin, &native) && read_bytes(stdin, &network)) {
        check(&native, &network);
        if (cases++ % every == 0)
            starve(&native);
    }
    printf("%lu pairs, %lu conversions: %lu network images came back, %lu times there and back again, "
           "%lu allocations failed; %lu differ\n", cases, conversions, network_and_back, there_and_back,
           failed_allocations, wrong);
    return wrong != 0 || cases == 0;
}
