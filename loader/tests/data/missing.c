// Needs what no library has.
int nowhere_to_be_found(void);
int call(void) { return nowhere_to_be_found(); }
