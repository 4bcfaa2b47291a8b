/* pst_other_order.c - see pst_other_order.h. */
#include "pst_other_order.h"
#include "pst_inspect.h"

void pst_other_order_init(pst_other_order *c, const pst_header *h)
{
    uint8_t bytes[PST_HEADER_MAX];
    pst_header native, network;
    memset(c, 0, sizeof *c);
    c->to_network = !h->netorder;
    if (h->netorder)
        pst_header_host(&native, PST_NATIVE_IV_SIZE, PST_NATIVE_NV_SIZE);
    else
        native = *h;
    native.file = false;
    network = native;
    network.netorder = true;
    c->header_change = (int64_t)pst_header_write(&network, bytes) - (int64_t)pst_header_write(&native, bytes);
    if (h->netorder)
        c->header_change = -c->header_change;
}

/* Does the text that network order has give the double back? (Zero has no sign there.) */
static bool is_kept(double v, const char *text, size_t len)
{
    char exact[PST_NUMFMT_MAX];
    return v == 0 || (pst_format_exact(exact, v) == len && memcmp(exact, text, len) == 0);
}

static enum pst_change change(pst_other_order *c, const pst_walk *w, const pst_token *t, int64_t *size)
{
    char text[PST_NUMFMT_MAX];
    double v;
    *size = 0;
    if (!c->to_network) {
        if (t->wire != PST_NETINT)
            return PST_SAME;
        *size = PST_NATIVE_IV_SIZE - 4;
        return PST_INTEGER_SIZE;
    }
    if (t->wire == PST_INTEGER) {
        bool fits = t->iv == (int32_t)t->iv;
        *size = fits ? 5 : 2 + (int64_t)pst_format_i64(text, t->iv);
        *size -= 1 + w->r.iv_size;
        return fits ? PST_INTEGER_SIZE : PST_INTEGER_TO_TEXT;
    }
    if (t->wire == PST_DOUBLE && pst_token_double(w, t, &v)) {
        size_t len = pst_format_double(text, v, PST_DIGITS_PERL);
        *size = 1 + (int64_t)len - (int64_t)t->len;
        return is_kept(v, text, len) ? PST_DOUBLE_TO_TEXT : PST_DOUBLE_LOSES;
    }
    return PST_SAME;
}

enum pst_change pst_other_order_see(pst_other_order *c, const pst_walk *w, const pst_event *ev)
{
    int64_t size;
    enum pst_change what;
    if (ev->kind != PST_EV_BEGIN || !ev->leaf)
        return PST_SAME;
    what = change(c, w, &ev->token, &size);
    c->body_change += size;
    c->shorter_integers += what == PST_INTEGER_SIZE;
    c->text_integers += what == PST_INTEGER_TO_TEXT;
    c->text_doubles += what == PST_DOUBLE_TO_TEXT || what == PST_DOUBLE_LOSES;
    c->lost_doubles += what == PST_DOUBLE_LOSES;
    return what;
}
