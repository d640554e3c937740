#include <CommonCrypto/CommonCrypto.h>
#include <CommonCrypto/CommonRandomSPI.h>

static const uint8_t initial_value[8] = {0xA6, 0xA6, 0xA6, 0xA6, 0xA6, 0xA6, 0xA6, 0xA6};

const uint8_t *const CCrfc3394_iv = initial_value;
const size_t CCrfc3394_ivLen = sizeof(initial_value);

/* Any address works, as long as it is not NULL. */
const CCRandomRef kCCRandomDefault = initial_value;
const CCRandomRef kCCRandomDevRandom = initial_value;
