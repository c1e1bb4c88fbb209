/* A deterministic tracker: a site reports its new items when its count has grown by the factor 1 + alpha.
 *
 *     cc -O2 -o growth growth.c
 *     disttrack play --protocol "exec file=growth alpha=0.1 promise=always" --sites 8 --items 10000
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of a field of a line; 0 if it has none. The simulator writes no blanks between a name and its number. */
static double number(const char *line, const char *name) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *place = strstr(line, key);
    return place ? atof(place + strlen(key)) : 0;
}

int main(void) {
    static char line[65536];
    long count = 0, reported = 0, total = 0;
    double alpha = 0;
    int server = 0;
    while (fgets(line, sizeof line, stdin)) {
        long before = reported;
        if (strstr(line, "\"type\":\"init\"")) {
            server = strstr(line, "\"role\":\"server\"") != NULL;
            alpha = number(line, "alpha");
            count = reported = before = total = (long)number(line, "start");
        } else if (server) {
            total += (long)number(line, "value");
        } else {
            count += (long)number(line, "items");
        }
        if (!server && count > (1 + alpha) * reported) reported = count;
        if (server)
            printf("{\"output\":%ld}\n", total);
        else if (reported > before)
            printf("{\"send\":[{\"kind\":\"more\",\"value\":%ld}],\"silence\":%ld}\n", reported - before, (long)(alpha * reported));
        else
            printf("{\"silence\":%ld}\n", (long)((1 + alpha) * reported) - count);
        fflush(stdout);
    }
    return 0;
}
