/* pst_classes.h - names of classes by number, as a walk meets them.
 *
 * Layer: core.
 */
#ifndef PST_CLASSES_H
#define PST_CLASSES_H

#include "pst_walk.h"

/* Where a name stands in `names`. */
struct pst_class { size_t at, len; };

typedef struct pst_classes {
    const pst_memory *memory;
    uint8_t          *names;      /* one behind the other */
    size_t            names_len, names_room;
    struct pst_class *list;
    size_t            count, room;
} pst_classes;

PST_EXTERN_C_BEGIN

void pst_classes_init(pst_classes *c, const pst_memory *memory);
void pst_classes_release(pst_classes *c);

/* Remember the class that the event names, if it names one. To be called with every event.
 * RETURNS: false without memory. */
bool pst_classes_see(pst_classes *c, const pst_event *ev);

/* The name of a class. RETURNS: borrowed until the next pst_classes_see(); NULL if there is
 * no such number. */
const uint8_t *pst_classes_name(const pst_classes *c, uint64_t number, size_t *len);

PST_EXTERN_C_END

#endif
