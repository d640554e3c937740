#ifndef LATCHKEY_FILE_H
#define LATCHKEY_FILE_H

/* Gives the file `to` the extended attribute of the file `from`, if that has it. 0, or -errno. */
int lk_file_copy_attribute(int from, int to, const char *name);

#endif
