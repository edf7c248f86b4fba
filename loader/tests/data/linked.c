/* Words that lie outside the artifact: in a cell of its own, and in a table. */
extern const unsigned long the_cell;
extern const unsigned long the_table[];
extern const unsigned int the_narrow_table[];

unsigned long own = 7;

unsigned long cell(void) { return the_cell; }
unsigned long cell_address(void) { return (unsigned long)&the_cell; }
unsigned long entry(unsigned long i) { return the_table[i]; }
unsigned long table_address(void) { return (unsigned long)the_table; }
unsigned long narrow(unsigned long i) { return the_narrow_table[i]; }
