#include "CLatchkeyBenchPeers.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>

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
