/* CommonCrypto as a program of C or C++ uses it: every group of functions, against known answers. Prints what is wrong;
 * ends with 0 if nothing is. */
#include <CommonCrypto/CommonCrypto.h>
#include <CommonCrypto/CommonCMACSPI.h>
#include <CommonCrypto/CommonCryptorSPI.h>
#include <CommonCrypto/CommonDigestSPI.h>
#include <CommonCrypto/CommonHMacSPI.h>
#include <CommonCrypto/CommonKeyDerivationSPI.h>
#include <CommonCrypto/CommonRandomSPI.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(int holds, const char *what)
{
    if (holds) return;
    failures++;
    printf("wrong: %s\n", what);
}

static void expect_bytes(const void *bytes, const char *hexadecimal, const char *what)
{
    char found[257] = "";
    size_t index, count = strlen(hexadecimal) / 2;
    for (index = 0; index < count && index < 128; index++)
        snprintf(found + 2 * index, 3, "%02x", ((const unsigned char *)bytes)[index]);
    if (strcmp(found, hexadecimal) == 0) return;
    failures++;
    printf("wrong: %s is %s instead of %s\n", what, found, hexadecimal);
}

static void digests(void)
{
    unsigned char md[CC_SHA512_DIGEST_LENGTH];
    CC_SHA256_CTX context, copy;
    expect(CC_MD4("abc", 3, md) == md, "CC_MD4");
    expect_bytes(md, "a448017aaf21d8525fc10ae87aa6729d", "MD4");
    expect(CC_MD5("abc", 3, md) == md, "CC_MD5");
    expect_bytes(md, "900150983cd24fb0d6963f7d28e17f72", "MD5");
    expect(CC_SHA1("abc", 3, md) == md, "CC_SHA1");
    expect_bytes(md, "a9993e364706816aba3e25717850c26c9cd0d89d", "SHA-1");
    expect(CC_SHA224("abc", 3, md) == md, "CC_SHA224");
    expect_bytes(md, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7", "SHA-224");
    expect(CC_SHA384("abc", 3, md) == md, "CC_SHA384");
    expect_bytes(
        md, "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        "SHA-384");
    expect(CC_SHA512("abc", 3, md) == md, "CC_SHA512");
    expect_bytes(
        md,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "SHA-512");
    expect(CC_SHA256_Init(&context) == 1, "CC_SHA256_Init");
    expect(CC_SHA256_Update(&context, "ab", 2) == 1, "CC_SHA256_Update");
    copy = context;
    expect(CC_SHA256_Update(&copy, "c", 1) == 1, "CC_SHA256_Update of a copy");
    expect(CC_SHA256_Final(md, &copy) == 1, "CC_SHA256_Final");
    expect_bytes(md, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "SHA-256");
    expect(CC_SHA256("abc", 3, NULL) == NULL, "a digest into NULL");
    expect(sizeof(CC_SHA256_CTX) == 104 && sizeof(CC_SHA512_CTX) == 208, "the sizes of contexts");
}

/* MD2 works where libnettle is, and says so where it is not. */
static void md2(int is_there)
{
    unsigned char md[CC_MD2_DIGEST_LENGTH];
    CC_MD2_CTX context;
    expect((CC_MD2("abc", 3, md) == md) == is_there, "CC_MD2");
    if (is_there) expect_bytes(md, "da853b0d3f88d99b30283a69e6ded6bb", "MD2");
    expect(CC_MD2_Init(&context) == is_there, "CC_MD2_Init");
    expect(CC_MD2_Update(&context, "abc", 3) == is_there, "CC_MD2_Update");
    expect(CC_MD2_Final(md, &context) == is_there, "CC_MD2_Final");
}

static void codes(void)
{
    static const char answer[] = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    unsigned char code[CC_SHA256_DIGEST_LENGTH];
    CCHmacContext context;
    CCHmac(kCCHmacAlgSHA256, "Jefe", 4, "what do ya want for nothing?", 28, code);
    expect_bytes(code, answer, "HMAC-SHA256");
    memset(code, 0, sizeof(code));
    CCHmacInit(&context, kCCHmacAlgSHA256, "Jefe", 4);
    CCHmacUpdate(&context, "what do ya want ", 16);
    CCHmacUpdate(&context, "for nothing?", 12);
    CCHmacFinal(&context, code);
    expect_bytes(code, answer, "HMAC-SHA256 in pieces");
    expect(sizeof(CCHmacContext) == 384, "the size of CCHmacContext");
}

static void derived_keys(void)
{
    const uint8_t salt[] = {'s', 'a', 'l', 't'};
    uint8_t key[20];
    expect(
        CCKeyDerivationPBKDF(
            kCCPBKDF2, "password", 8, salt, sizeof(salt), kCCPRFHmacAlgSHA1, 2, key, sizeof(key)) == kCCSuccess,
        "CCKeyDerivationPBKDF");
    expect_bytes(key, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957", "PBKDF2");
    expect(
        CCKeyDerivationPBKDF(
            kCCPBKDF2, "password", 8, salt, sizeof(salt), kCCPRFHmacAlgSHA1, 0, key, sizeof(key)) == kCCParamError,
        "no rounds");
    expect(CCCalibratePBKDF(kCCPBKDF2, 8, 8, kCCPRFHmacAlgSHA256, 32, 0) == 10000, "CCCalibratePBKDF");
}

static void random_bytes(void)
{
    unsigned char one[32] = {0}, other[32] = {0};
    expect(CCRandomGenerateBytes(one, sizeof(one)) == kCCSuccess, "CCRandomGenerateBytes");
    expect(CCRandomGenerateBytes(other, sizeof(other)) == kCCSuccess, "CCRandomGenerateBytes");
    expect(memcmp(one, other, sizeof(one)) != 0, "random bytes that differ");
    expect(CCRandomGenerateBytes(NULL, 1) == kCCParamError, "random bytes into NULL");
}

static void wrapped_keys(void)
{
    uint8_t kek[16], key[16], wrapped[24], unwrapped[16];
    size_t index, count = sizeof(wrapped);
    for (index = 0; index < 16; index++) {
        kek[index] = (uint8_t)index;
        key[index] = (uint8_t)(0x11 * index);
    }
    expect(CCSymmetricWrappedSize(kCCWRAPAES, sizeof(key)) == sizeof(wrapped), "CCSymmetricWrappedSize");
    expect(CCSymmetricUnwrappedSize(kCCWRAPAES, sizeof(wrapped)) == sizeof(key), "CCSymmetricUnwrappedSize");
    expect(
        CCSymmetricKeyWrap(
            kCCWRAPAES, CCrfc3394_iv, CCrfc3394_ivLen, kek, sizeof(kek), key, sizeof(key), wrapped, &count) ==
            kCCSuccess,
        "CCSymmetricKeyWrap");
    expect(count == sizeof(wrapped), "the length of a wrapped key");
    expect_bytes(wrapped, "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5", "a wrapped key");
    count = sizeof(unwrapped);
    expect(
        CCSymmetricKeyUnwrap(
            kCCWRAPAES, CCrfc3394_iv, CCrfc3394_ivLen, kek, sizeof(kek), wrapped, sizeof(wrapped), unwrapped,
            &count) == kCCSuccess,
        "CCSymmetricKeyUnwrap");
    expect(count == sizeof(key) && memcmp(key, unwrapped, sizeof(key)) == 0, "an unwrapped key");
    wrapped[5] ^= 1;
    count = sizeof(unwrapped);
    expect(
        CCSymmetricKeyUnwrap(
            kCCWRAPAES, NULL, 0, kek, sizeof(kek), wrapped, sizeof(wrapped), unwrapped, &count) == kCCDecodeError,
        "an altered wrapped key");
}

/* The first block of each example of SP 800-38A, under the same key. */
static void ciphers(void)
{
    static const uint8_t key[16] = {
        0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
    static const uint8_t text[16] = {
        0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a};
    uint8_t iv[16], output[32], end[16];
    CCCryptorRef cryptor = NULL;
    size_t index, moved = 0, rest = 0;
    for (index = 0; index < 16; index++) iv[index] = (uint8_t)index;
    expect(
        CCCrypt(
            kCCEncrypt, kCCAlgorithmAES, kCCOptionECBMode, key, sizeof(key), NULL, text, sizeof(text), output,
            sizeof(output), &moved) == kCCSuccess,
        "CCCrypt with ECB");
    expect(moved == 16, "the length of a block");
    expect_bytes(output, "3ad77bb40d7a3660a89ecaf32466ef97", "AES-128-ECB");
    expect(
        CCCrypt(
            kCCEncrypt, kCCAlgorithmAES, kCCOptionPKCS7Padding, key, sizeof(key), iv, text, sizeof(text), output, 16,
            &moved) == kCCBufferTooSmall,
        "CCCrypt without room for the padding");
    expect(moved == 32, "the room that is needed");
    expect(
        CCCryptorCreate(
            kCCEncrypt, kCCAlgorithmAES, kCCOptionPKCS7Padding, key, sizeof(key), iv, &cryptor) == kCCSuccess,
        "CCCryptorCreate");
    expect(CCCryptorGetOutputLength(cryptor, sizeof(text), true) == 32, "CCCryptorGetOutputLength");
    expect(
        CCCryptorUpdate(cryptor, text, sizeof(text), output, sizeof(output), &moved) == kCCSuccess,
        "CCCryptorUpdate");
    expect(CCCryptorFinal(cryptor, output + moved, sizeof(output) - moved, &rest) == kCCSuccess, "CCCryptorFinal");
    expect(moved + rest == 32, "the length of a padded message");
    expect_bytes(output, "7649abac8119b246cee98e9b12e9197d", "AES-128-CBC");
    expect(CCCryptorRelease(cryptor) == kCCSuccess, "CCCryptorRelease");
    expect(
        CCCrypt(
            kCCDecrypt, kCCAlgorithmAES, kCCOptionPKCS7Padding, key, sizeof(key), iv, output, 32, output,
            sizeof(output), &moved) == kCCSuccess,
        "CCCrypt in place");
    expect(moved == 16 && memcmp(output, text, 16) == 0, "a decrypted message");
    for (index = 0; index < 16; index++) iv[index] = (uint8_t)(0xf0 + index);
    expect(
        CCCryptorCreateWithMode(
            kCCEncrypt, kCCModeCTR, kCCAlgorithmAES, ccNoPadding, iv, key, sizeof(key), NULL, 0, 0,
            kCCModeOptionCTR_BE, &cryptor) == kCCSuccess,
        "CCCryptorCreateWithMode");
    expect(
        CCCryptorUpdate(cryptor, text, sizeof(text), end, sizeof(end), &moved) == kCCSuccess && moved == 16,
        "CCCryptorUpdate with CTR");
    expect_bytes(end, "874d6191b620e3261bef6864990db6ce", "AES-128-CTR");
    CCCryptorRelease(cryptor);
}

static void private_names(void)
{
    static const uint8_t zeros[16] = {0};
    /* RFC 4493. */
    static const uint8_t key[16] = {
        0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
    uint8_t output[64], tag[16];
    uint64_t number = 7;
    CCDigestRef digest;
    CCHmacContextRef code;
    CCKDFParametersRef parameters = NULL;
    expect(CCDigest(kCCDigestSHA256, (const uint8_t *)"abc", 3, output) == 0, "CCDigest");
    expect_bytes(output, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "CCDigest of SHA-256");
    expect(CCDigestGetOutputSize(kCCDigestSHA512) == 64, "CCDigestGetOutputSize");
    digest = CCDigestCreate(kCCDigestRMD160);
    expect(CCDigestUpdate(digest, "abc", 3) == 0 && CCDigestFinal(digest, output) == 0, "CCDigestUpdate");
    expect_bytes(output, "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc", "RIPEMD-160");
    CCDigestDestroy(digest);
    code = CCHmacCreate(kCCDigestSHA256, "Jefe", 4);
    CCHmacUpdate(code, "what do ya want for nothing?", 28);
    CCHmacFinal(code, output);
    expect_bytes(output, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "CCHmacCreate");
    CCHmacDestroy(code);
    CCAESCmac(key, NULL, 0, output);
    expect_bytes(output, "bb1d6929e95937287fa37d129b756746", "AES-CMAC");
    expect(CCKDFParametersCreateHkdf(&parameters, NULL, 0, NULL, 0) == kCCSuccess, "CCKDFParametersCreateHkdf");
    memset(output, 0x0b, 22);
    expect(CCDeriveKey(parameters, kCCDigestSHA256, output, 22, output + 22, 42) == kCCSuccess, "CCDeriveKey");
    expect_bytes(
        output + 22, "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8", "HKDF");
    CCKDFParametersDestroy(parameters);
    expect(CCRandomUniform(1, &number) == kCCSuccess && number == 0, "CCRandomUniform");
    expect(
        CCCryptorGCMOneshotEncrypt(
            kCCAlgorithmAES, zeros, 16, zeros, 12, NULL, 0, NULL, 0, NULL, tag, sizeof(tag)) == kCCSuccess,
        "CCCryptorGCMOneshotEncrypt");
    expect_bytes(tag, "58e2fccefa7e3061367f1d57a4e7455a", "the tag of an empty message");
}

/* Called after everything that libcrypto does at the end of a process: it was registered first. */
static void at_exit(void)
{
    static const uint8_t bytes[16] = {0};
    unsigned char output[32] = {0};
    size_t moved = 0;
    CCCmacContextPtr code;
    failures = 0;
    expect(CCRandomGenerateBytes(output, sizeof(output)) == kCCSuccess, "random bytes at the end");
    expect(
        CCKeyDerivationPBKDF(kCCPBKDF2, "password", 8, bytes, 4, kCCPRFHmacAlgSHA256, 2, output, 32) == kCCSuccess,
        "CCKeyDerivationPBKDF at the end");
    code = CCAESCmacCreate(bytes, 16);
    expect(code != NULL, "CCAESCmacCreate at the end");
    CCAESCmacDestroy(code);
    expect(
        CCCrypt(kCCEncrypt, kCCAlgorithmAES, 0, bytes, 16, bytes, bytes, 16, output, 32, &moved) == kCCSuccess,
        "CCCrypt at the end");
    if (failures == 0) return;
    fflush(stdout);
    _Exit(2);
}

int main(int count, char **arguments)
{
    expect(atexit(at_exit) == 0, "atexit");
    digests();
    md2(!(count > 1 && strcmp(arguments[1], "without-md2") == 0));
    codes();
    derived_keys();
    random_bytes();
    wrapped_keys();
    ciphers();
    private_names();
    return failures != 0;
}
