#define _GNU_SOURCE
#include "include/CLatchkeyFoundationWatch.h"

#include <dlfcn.h>

/* FoundationEssentials.Data.write(to: URL, options: Data.WritingOptions) throws. Under another name, as a later
   Foundation may have it, nothing is heard. */
#define WRITE "$s20FoundationEssentials4DataV5write2to7optionsyAA3URLV_AC14WritingOptionsVtKF"

/* Foundation's own: it is behind the program in the loader's order. */
__attribute__((visibility("hidden"))) void *lk_real_data_write;

__attribute__((constructor(101))) static void find_real_one(void) { lk_real_data_write = dlsym(RTLD_NEXT, WRITE); }

/* Two jumps, which leave every register as it is: arguments and errors are Swift's own business. The name of Foundation
   is weak: a program that is linked with the static Foundation has that one, and nothing is heard. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl lk_data_write\n"
        ".hidden lk_data_write\n"
        ".type lk_data_write, @function\n"
        "lk_data_write:\n"
        "    jmpq *lk_real_data_write(%rip)\n"
        ".size lk_data_write, . - lk_data_write\n"
        ".weak \"" WRITE "\"\n"
        ".type \"" WRITE "\", @function\n"
        "\"" WRITE "\":\n"
        "    jmp lk_heard_data_write@PLT\n"
        ".size \"" WRITE "\", . - \"" WRITE "\"\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl lk_data_write\n"
        ".hidden lk_data_write\n"
        ".type lk_data_write, %function\n"
        ".p2align 2\n"
        "lk_data_write:\n"
        "    adrp x16, lk_real_data_write\n"
        "    ldr x16, [x16, :lo12:lk_real_data_write]\n"
        "    br x16\n"
        ".size lk_data_write, . - lk_data_write\n"
        ".weak \"" WRITE "\"\n"
        ".type \"" WRITE "\", %function\n"
        "\"" WRITE "\":\n"
        "    b lk_heard_data_write\n"
        ".size \"" WRITE "\", . - \"" WRITE "\"\n");
#else
/* Nothing is heard. */
void lk_data_write(void) { __builtin_trap(); }
#endif
