/* Source that was written to the names of old OpenSSL and of RFC 1321. Prints what is wrong. */
#define COMMON_DIGEST_FOR_OPENSSL
#define COMMON_DIGEST_FOR_RFC_1321
#include <CommonCrypto/CommonDigest.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(const unsigned char *digest, size_t count, const char *hexadecimal)
{
    char found[129] = "";
    size_t index;
    for (index = 0; index < count; index++) snprintf(found + 2 * index, 3, "%02x", digest[index]);
    if (strcmp(found, hexadecimal) == 0) return;
    failures++;
    printf("wrong: %s instead of %s\n", found, hexadecimal);
}

#define DIGEST(name, context_type, length, answer)                                                                    \
    do {                                                                                                              \
        context_type context;                                                                                         \
        unsigned char digest[length];                                                                                 \
        if (name##_Init(&context) != 1 || name##_Update(&context, "abc", 3) != 1 ||                                   \
            name##_Final(digest, &context) != 1)                                                                      \
            failures++;                                                                                               \
        expect(digest, length, answer);                                                                               \
    } while (0)

int main(void)
{
    MD5_CTX context;
    unsigned char digest[16];
    DIGEST(MD2, MD2_CTX, MD2_DIGEST_LENGTH, "da853b0d3f88d99b30283a69e6ded6bb");
    DIGEST(MD4, MD4_CTX, MD4_DIGEST_LENGTH, "a448017aaf21d8525fc10ae87aa6729d");
    DIGEST(MD5, MD5_CTX, MD5_DIGEST_LENGTH, "900150983cd24fb0d6963f7d28e17f72");
    DIGEST(SHA1, SHA_CTX, SHA_DIGEST_LENGTH, "a9993e364706816aba3e25717850c26c9cd0d89d");
    DIGEST(SHA224, SHA256_CTX, SHA224_DIGEST_LENGTH, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
    DIGEST(
        SHA256, SHA256_CTX, SHA256_DIGEST_LENGTH, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    DIGEST(
        SHA384, SHA512_CTX, SHA384_DIGEST_LENGTH,
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7");
    DIGEST(
        SHA512, SHA512_CTX, SHA512_DIGEST_LENGTH,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
    MD5Init(&context);
    MD5Update(&context, "abc", 3);
    MD5Final(digest, &context);
    expect(digest, sizeof(digest), "900150983cd24fb0d6963f7d28e17f72");
    return failures != 0;
}
