/*
** Field lists. Every struct of the core is one list macro, LIST(F, S), whose lines are
**
**   F(S, KIND, member, extra, "unit", default, min, max, "doc", .label = "of a column", ...)
**
** From that one list come the struct itself, the reader of Lua tables with its errors, `explain`,
** the reference page and the editor annotations. No field is written down twice.
**
** KIND is INT (int64_t, a count or bytes), NUM (double), FLAG (int, 0 or 1), ENUM (int; extra names
** the enum's list), STRUCT (extra names the struct's tag) or NOTE (text that people keep beside the
** numbers: accepted and documented, but no kernel sees it and the struct has no member for it).
** default BP_REQUIRED marks a field that has to be given; min and max are inclusive. What may follow the
** doc are members of bp_field by name: how reports show the field, and of a plan's field how it behaves.
*/
#ifndef BP_KERNEL_FIELD_H
#define BP_KERNEL_FIELD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum bp_kind { BP_INT, BP_NUM, BP_FLAG, BP_ENUM, BP_STRUCT, BP_NOTE };

#define BP_REQUIRED NAN
#define BP_ANY INFINITY /* as max: no upper limit beyond what an int64 or a double holds */

struct bp_schema;

struct bp_field {
    const char *name;
    enum bp_kind kind;
    const char *
        unit; /* base unit: "B" "s" "FLOP" "B/s" "FLOP/s" "USD" "USD/h" "W" "tok" "frac", "" a count */
    double def, min, max;
    const char *doc;
    size_t offset;
    const char *const *names;    /* ENUM: NULL-terminated, index = value */
    const struct bp_schema *sub; /* STRUCT */

    /* Of a plan's field, in terms of kernel/describe/plan_line.h; 0 where its line does not say it. */
    unsigned reads;    /* parts of an estimate that read it, BP_IN_x; 0: all of them may */
    int check;         /* enum bp_reject: the first check that looks at it */
    int matters;       /* enum bp_matters: when it makes a difference */
    int repeats;       /* enum bp_repeats_by: how another value may mean the same plan */
    int free;          /* enum bp_free: what `free` stands for */
    int sets;          /* enum bp_sets: what it is a setting of */
    int searched;      /* a search leaves it free when nobody says anything about it */
    int place;         /* in a plan's short text: 1 is first, 0 is not there */
    int always;        /* reports say it of every plan, not only where it is not the default */
    const char *label; /* title of a column; NULL: the name */
    const char
        *unsearched; /* a search that does not try it says so, by this name; NULL: it does not */
    const char
        *words; /* in a plan's text, with at most one %d, %g or %s of the value; NULL: not there */
};

struct bp_schema {
    const char *name; /* as in error paths and `explain`: "plan" */
    const char *doc;
    size_t size;
    size_t count;
    const struct bp_field *fields;
};

/* The struct's members from the list. */
#define BP_MEMBER(S, KIND, member, extra, unit, def, min, max, ...) BP_MEMBER_##KIND(member, extra)
#define BP_MEMBER_INT(member, extra) int64_t member;
#define BP_MEMBER_NUM(member, extra) double member;
#define BP_MEMBER_FLAG(member, extra) int member;
#define BP_MEMBER_ENUM(member, extra) int member;
#define BP_MEMBER_STRUCT(member, extra) struct extra member;
#define BP_MEMBER_NOTE(member, extra)

/* The descriptors from the same list. */
#define BP_DESCRIBE(S, KIND, member, extra, unit_, def_, min_, max_, ...)                          \
    {.name = #member,                                                                              \
     .kind = BP_##KIND,                                                                            \
     .unit = unit_,                                                                                \
     .def = def_,                                                                                  \
     .min = min_,                                                                                  \
     .max = max_,                                                                                  \
     .offset = BP_OFFSET_##KIND(S, member),                                                        \
     .names = BP_NAMES_##KIND(extra),                                                              \
     .sub = BP_SUB_##KIND(extra),                                                                  \
     .doc = __VA_ARGS__},
#define BP_OFFSET_INT(S, member) offsetof(struct S, member)
#define BP_OFFSET_NUM(S, member) offsetof(struct S, member)
#define BP_OFFSET_FLAG(S, member) offsetof(struct S, member)
#define BP_OFFSET_ENUM(S, member) offsetof(struct S, member)
#define BP_OFFSET_STRUCT(S, member) offsetof(struct S, member)
#define BP_OFFSET_NOTE(S, member) 0
#define BP_NAMES_INT(extra) NULL
#define BP_NAMES_NUM(extra) NULL
#define BP_NAMES_FLAG(extra) NULL
#define BP_NAMES_ENUM(extra) extra##_names
#define BP_NAMES_STRUCT(extra) NULL
#define BP_NAMES_NOTE(extra) NULL
#define BP_SUB_INT(extra) NULL
#define BP_SUB_NUM(extra) NULL
#define BP_SUB_FLAG(extra) NULL
#define BP_SUB_ENUM(extra) NULL
#define BP_SUB_STRUCT(extra) &extra##_schema
#define BP_SUB_NOTE(extra) NULL

/* In a header: struct and schema of one list. */
#define BP_DECLARE_STRUCT(tag, LIST)                                                               \
    struct tag {                                                                                   \
        LIST(BP_MEMBER, tag)                                                                       \
    };                                                                                             \
    extern const struct bp_schema tag##_schema

/* In the source file beside it. title is the name people write. */
#define BP_DEFINE_SCHEMA(tag, LIST, title, about)                                                  \
    static const struct bp_field tag##_fields[] = {LIST(BP_DESCRIBE, tag)};                        \
    const struct bp_schema tag##_schema = {title, about, sizeof(struct tag),                       \
                                           sizeof tag##_fields / sizeof *tag##_fields,             \
                                           tag##_fields}

/*
** Enums by list as well: LIST(E) with lines E(MEMBER, "text"), or E(MEMBER, "text", more) where every line
** says more, for lists of its owner's making.
** BP_DECLARE_ENUM(bp_zero, BP_ZERO) in a header makes enum bp_zero with those members and declares
** bp_zero_names, which BP_DEFINE_ENUM in the source file beside it fills with the texts.
*/
#define BP_ENUM_FIRST(text, ...) text
#define BP_ENUM_MEMBER(MEMBER, ...) MEMBER,
#define BP_ENUM_TEXT(MEMBER, ...) BP_ENUM_FIRST(__VA_ARGS__, 0),
#define BP_ENUM_ONE(MEMBER, ...) +1
#define BP_DECLARE_ENUM(tag, LIST)                                                                 \
    enum tag { LIST(BP_ENUM_MEMBER) };                                                             \
    extern const char *const tag##_names[]
#define BP_DEFINE_ENUM(tag, LIST) const char *const tag##_names[] = {LIST(BP_ENUM_TEXT) NULL}
#define BP_ENUM_COUNT(LIST) (0 LIST(BP_ENUM_ONE)) /* members of the list */

/* Fills a struct with its defaults (required fields: 0); s must have room for schema->size. */
void bp_defaults(const struct bp_schema *schema, void *s);

/* The member of s that a field describes as a double; structs and notes have no value: 0, and no change. */
double bp_field_get(const struct bp_field *field, const void *s);
void bp_field_set(const struct bp_field *field, void *s, double value);

struct bp_error;

/* Whether value is beyond the limits of the field: BP_OK, or BP_EDOMAIN with "must be from 0 to 1, got 70". */
int bp_field_range(const struct bp_field *field, double value, struct bp_error *err);

/* Whether a struct of inputs cannot go without the field: it has no default, or of a struct a field inside has none. */
int bp_field_is_required(const struct bp_field *field);

/* The first number of s, structs inside included, that is NaN or infinite; NULL when there is none. */
const struct bp_field *bp_field_not_finite(const struct bp_schema *schema, const void *s);

/* The descriptor called name, or NULL. */
const struct bp_field *bp_field_find(const struct bp_schema *schema, const char *name);

#endif
