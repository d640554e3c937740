/* Prints the SHA-256 of each file it is given, as sha256sum does: CommonCrypto from C, without Swift.
 *
 *   cc -o digest digest.c $(pkg-config --cflags --libs commoncrypto)
 *   ./digest FILE…
 */
#include <CommonCrypto/CommonDigest.h>
#include <stdio.h>

static int print_digest(const char *path)
{
    unsigned char piece[1 << 16], md[CC_SHA256_DIGEST_LENGTH];
    CC_SHA256_CTX context;
    size_t count, index;
    int failed;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    CC_SHA256_Init(&context);
    while ((count = fread(piece, 1, sizeof(piece), file)) > 0) CC_SHA256_Update(&context, piece, (CC_LONG)count);
    failed = ferror(file);
    fclose(file);
    CC_SHA256_Final(md, &context);
    if (failed) {
        fprintf(stderr, "%s cannot be read to its end\n", path);
        return 1;
    }
    for (index = 0; index < sizeof(md); index++) printf("%02x", md[index]);
    printf("  %s\n", path);
    return 0;
}

int main(int count, char **paths)
{
    int failed = 0, index;
    for (index = 1; index < count; index++) failed |= print_digest(paths[index]);
    return failed;
}
