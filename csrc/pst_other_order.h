/* pst_other_order.h - what an image would be in the other order: size, and what would change.
 *
 * Layer: core. Of a native image the other order is network order, of a network image the
 * native order of this machine. Counted event by event.
 */
#ifndef PST_OTHER_ORDER_H
#define PST_OTHER_ORDER_H

#include "pst_walk.h"

typedef struct pst_other_order {
    bool     to_network;
    int64_t  header_change;     /* bytes */
    int64_t  body_change;
    uint64_t shorter_integers;  /* INTEGER that becomes NETINT, or the reverse */
    uint64_t text_integers;     /* that would become decimal text */
    uint64_t text_doubles;      /* the same */
    uint64_t lost_doubles;      /* of these: those that the text's 15 digits do not give back */
} pst_other_order;

/* What happens to one object. */
enum pst_change { PST_SAME, PST_INTEGER_SIZE, PST_INTEGER_TO_TEXT, PST_DOUBLE_TO_TEXT, PST_DOUBLE_LOSES };

PST_EXTERN_C_BEGIN

void pst_other_order_init(pst_other_order *c, const pst_header *h);

/* Count an event. RETURNS: what would happen to it. */
enum pst_change pst_other_order_see(pst_other_order *c, const pst_walk *w, const pst_event *ev);

PST_EXTERN_C_END

#endif
