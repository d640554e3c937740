#ifndef LATCHKEY_FILE_H
#define LATCHKEY_FILE_H

#include <stdint.h>

/* Gives the file `to` the extended attribute of the file `from`, if that has it. 0, or -errno. */
int lk_file_copy_attribute(int from, int to, const char *name);

/* A new file of mode 0600 in `directory`, open for reading and writing, that has no name yet and is gone with its last
   descriptor. -EOPNOTSUPP where the file system has none such, or where it could not be given a name later. */
int lk_file_open_unnamed(const char *directory);
/* Gives it a name that nothing has: 0, -EEXIST, or another -errno. */
int lk_file_name(int descriptor, const char *path);
/* Moves a file to a name that nothing has: 0, -EEXIST, or another -errno. */
int lk_file_move_to_new(const char *from, const char *to);

/* When the file was made, in nanoseconds of 1970; links are followed. 0 where the file system does not tell. */
int64_t lk_file_birth(const char *path);

/* Removes the file of that name if a signal ends the process; NULL: no longer. One at a time. Not for SIGKILL, for signals
   of real time and of faults (SIGSEGV, SIGABRT and the like), nor for those that are ignored or handled otherwise: they
   stay so. 0, or -ENAMETOOLONG. */
int lk_file_remove_at_signal(const char *path);

/* Removes the directory with everything below it, links not followed. 0, or -errno. Signal handlers may call it. */
int lk_directory_remove(const char *path);
/* Removes the directory in this way if a signal ends the process, as lk_file_remove_at_signal does with a file; NULL:
   no longer. One at a time, beside a file. 0, or -ENAMETOOLONG. */
int lk_directory_remove_at_signal(const char *path);

/* Gives each of the descriptors 0 to 2 that is closed a file, so that no other file gets its number and is taken for
   standard input or written into. Reading the one and writing the others fails with EBADF as before. 0, or -errno. */
int lk_file_occupy_standard_descriptors(void);

#endif
