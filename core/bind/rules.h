/*
** A team's rules in the loop of a search. A rule is a table with a name and one or more of
** reject(c), score(c), price(c); all rules of a search live in one sandbox.
*/
#ifndef BP_BIND_RULES_H
#define BP_BIND_RULES_H

#include <lua.h>

#include "sandbox.h"
#include "search/search.h"
#include "view.h"

enum { BP_RULE_NAME = 64, BP_RULE_WHY = 192, BP_RULE_PATH = 256 };

struct bp_rule {
    char name[BP_RULE_NAME];
    char why[BP_RULE_WHY]; /* one sentence for people, may be "" */
    int has_reject, has_score, has_price;
};

/* No parser of a language takes long over that much. */
enum { BP_RULE_SOURCE = 1 << 16 };

/* The sandbox's stack: handler, view, then four slots for each rule (nil: no such function). */
enum { BP_RULE_VIEW = BP_SANDBOX_HANDLER + 1, BP_RULE_SLOTS = 4 };
enum bp_rule_function { BP_RULE_PRICE = 1, BP_RULE_REJECT, BP_RULE_SCORE, BP_RULE_NOTES };

struct bp_rules {
    struct bp_sandbox box;
    struct bp_view view;
    const struct bp_search *search;
    size_t count;
    struct bp_rule rules[BP_TALLY_RULES];
    char text[BP_RULE_PATH + BP_SANDBOX_TEXT + 16]; /* why bp_rules_judge stopped */
};

/*
** Pushes a userdata with the rules of the list at index (nil: none), ready to judge for `search`,
** which has to outlive it. An item is {text=, chunk="@path"} for the source of a rule file or
** the rule's table itself; units (index, may be nil) is a table of factors that become functions.
** Raises an input error for a malformed rule, a rule error for one that fails to load.
*/
struct bp_rules *bp_rules_push(lua_State *L, int list, int units, const struct bp_search *search);

/* Frees the sandbox before the collector would. */
void bp_rules_close(struct bp_rules *rules);

/* A bp_judge_fn; data is struct bp_rules. */
enum bp_judgement bp_rules_judge(void *data, struct bp_candidate *candidate);

/* Raises errors.rule(text); never returns. */
int bp_raise_rule(lua_State *L, const char *text);

#endif
