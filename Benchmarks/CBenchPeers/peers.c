#include "CLatchkeyBenchPeers.h"

#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lkb_encrypt_messages(const uint8_t key[32], const uint8_t iv[16], const uint8_t *input, size_t count,
                         uint8_t *output, size_t times) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
    int total = -1;
    for (size_t i = 0; cipher && i < times; i++) {
        EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
        int first = 0, last = 0;
        total = -1;
        if (context && EVP_EncryptInit_ex2(context, cipher, key, iv, NULL) == 1
            && EVP_EncryptUpdate(context, output, &first, input, (int)count) == 1
            && EVP_EncryptFinal_ex(context, output + first, &last) == 1)
            total = first + last;
        EVP_CIPHER_CTX_free(context);
        if (total < 0) break;
    }
    EVP_CIPHER_free(cipher);
    return total;
}

struct lkb_sealer {
    EVP_CIPHER_CTX *cipher;
    EVP_MAC *mac;
    EVP_MAC_CTX *code;
    int encrypting;
};

void lkb_sealer_free(struct lkb_sealer *sealer) {
    if (!sealer) return;
    EVP_CIPHER_CTX_free(sealer->cipher);
    EVP_MAC_CTX_free(sealer->code);
    EVP_MAC_free(sealer->mac);
    free(sealer);
}

struct lkb_sealer *lkb_sealer_new(const uint8_t key[32], const uint8_t mac_key[32], const uint8_t iv[16],
                                  int encrypting) {
    struct lkb_sealer *sealer = calloc(1, sizeof *sealer);
    if (!sealer) return NULL;
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
    sealer->encrypting = encrypting;
    sealer->cipher = EVP_CIPHER_CTX_new();
    sealer->mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    sealer->code = EVP_MAC_CTX_new(sealer->mac);
    if (sealer->cipher && sealer->code
        && EVP_CipherInit_ex2(sealer->cipher, EVP_aes_256_cbc(), key, iv, encrypting, NULL) == 1
        && EVP_CIPHER_CTX_set_padding(sealer->cipher, 0) == 1
        && EVP_MAC_init(sealer->code, mac_key, 32, parameters) == 1)
        return sealer;
    lkb_sealer_free(sealer);
    return NULL;
}

int lkb_sealer_run(struct lkb_sealer *sealer, const uint8_t *input, size_t count, uint8_t *output) {
    int written = 0;
    if (sealer->encrypting)
        return EVP_CipherUpdate(sealer->cipher, output, &written, input, (int)count) == 1
            && EVP_MAC_update(sealer->code, output, (size_t)written) == 1;
    return EVP_MAC_update(sealer->code, input, count) == 1
        && EVP_CipherUpdate(sealer->cipher, output, &written, input, (int)count) == 1;
}

enum { BLOCK = 4096, BLOCKS = 32, TAG = 16 };

/* One block under its number as nonce. */
static int file_block(EVP_CIPHER_CTX *context, uint64_t number, const uint8_t *input, uint8_t *output, uint8_t *tag,
                      int sealing) {
    uint8_t nonce[12] = {0};
    int count = 0, last = 0;
    memcpy(nonce, &number, sizeof number);
    if (EVP_CipherInit_ex2(context, NULL, NULL, nonce, sealing, NULL) != 1) return 0;
    if (!sealing && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, tag) != 1) return 0;
    if (EVP_CipherUpdate(context, output, &count, input, BLOCK) != 1) return 0;
    if (EVP_CipherFinal_ex(context, output + count, &last) != 1) return 0;
    return !sealing || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, tag) == 1;
}

int lkb_file_run(const char *path, const uint8_t key[32], uint8_t *piece, size_t pieces, uint8_t *tags, int sealing) {
    static uint8_t sealed[BLOCKS * BLOCK];
    int file = open(path, sealing ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY, 0600);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = file >= 0 && cipher && context && EVP_CipherInit_ex2(context, cipher, key, NULL, sealing, NULL) == 1;
    for (size_t i = 0; done && i < pieces; i++) {
        if (!sealing) done = read(file, sealed, sizeof sealed) == sizeof sealed;
        for (size_t block = 0; done && block < BLOCKS; block++) {
            uint64_t number = i * BLOCKS + block;
            uint8_t *tag = tags + number * TAG;
            done = sealing ? file_block(context, number, piece + block * BLOCK, sealed + block * BLOCK, tag, 1)
                           : file_block(context, number, sealed + block * BLOCK, piece + block * BLOCK, tag, 0);
        }
        if (done && sealing) done = write(file, sealed, sizeof sealed) == sizeof sealed;
    }
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
    if (file >= 0) close(file);
    return done ? 0 : -1;
}

int lkb_copy_cbc(const char *from, const char *to, const uint8_t key[32], int encrypting) {
    static uint8_t in[BLOCKS * BLOCK], out[BLOCKS * BLOCK + 16];
    static const uint8_t iv[16];
    int source = open(from, O_RDONLY), target = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600), written = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = source >= 0 && target >= 0 && context
        && EVP_CipherInit_ex2(context, EVP_aes_256_cbc(), key, iv, encrypting, NULL) == 1;
    ssize_t count = 1;
    while (done && count > 0) {
        count = read(source, in, sizeof in);
        if (count > 0) done = EVP_CipherUpdate(context, out, &written, in, (int)count) == 1;
        else done = count == 0 && EVP_CipherFinal_ex(context, out, &written) == 1;
        if (done) done = write(target, out, (size_t)written) == written;
    }
    if (done) done = fsync(target) == 0;
    EVP_CIPHER_CTX_free(context);
    if (source >= 0) close(source);
    if (target >= 0) close(target);
    return done ? 0 : -1;
}
