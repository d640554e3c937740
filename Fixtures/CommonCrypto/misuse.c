/* Encrypts as one should not, three times at one place. */
#include <CommonCrypto/CommonCrypto.h>

#include <stdio.h>

/* By a name that the linker sees. */
int encrypt_by_blocks(void);

int encrypt_by_blocks(void) {
    unsigned char key[32], text[64] = {0};
    size_t moved = 0;
    if (CCRandomGenerateBytes(key, sizeof key) != kCCSuccess) return 0;
    if (CCCrypt(kCCEncrypt, kCCAlgorithmAES, kCCOptionECBMode, key, sizeof key, NULL, text, 48, text, sizeof text,
                &moved) != kCCSuccess)
        return 0;
    return moved == 48;
}

int main(void) {
    int answers = 0, i;
    for (i = 0; i < 3; i++) answers += encrypt_by_blocks();
    printf("%d\n", answers);
    return answers == 3 ? 0 : 1;
}
