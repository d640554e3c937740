/* Streams of raw deflate (RFC 1951), as Apple's COMPRESSION_ZLIB is. Swift cannot call zlib's functions that are macros, and
   its counts have 32 bits. */
#ifndef LATCHKEY_ZLIB_SHIM_H
#define LATCHKEY_ZLIB_SHIM_H

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

typedef struct lk_zlib {
    z_stream stream;
    int compresses;
} lk_zlib;

typedef enum { LK_ZLIB_ERROR = -1, LK_ZLIB_OK = 0, LK_ZLIB_END = 1 } lk_zlib_status;

/* NULL where there is no memory left. */
static inline lk_zlib *lk_zlib_new(int compresses) {
    lk_zlib *zlib = (lk_zlib *)calloc(1, sizeof *zlib);
    if (zlib == NULL) return NULL;
    zlib->compresses = compresses;
    /* A negative number of window bits leaves zlib's header and checksum out. Apple compresses with level 5. */
    int outcome = compresses ? deflateInit2(&zlib->stream, 5, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY)
                             : inflateInit2(&zlib->stream, -MAX_WBITS);
    if (outcome == Z_OK) return zlib;
    free(zlib);
    return NULL;
}

static inline void lk_zlib_free(lk_zlib *zlib) {
    if (zlib == NULL) return;
    if (zlib->compresses) deflateEnd(&zlib->stream);
    else inflateEnd(&zlib->stream);
    free(zlib);
}

static inline uInt lk_zlib_part(size_t count) { return count > INT_MAX ? INT_MAX : (uInt)count; }

/* Goes on until the input is read, the output is full, or the stream has ended. The pointers and counts become those of what
   is left. `finishes` says that there is no more input. */
static inline lk_zlib_status lk_zlib_process(
    lk_zlib *zlib, int finishes, uint8_t **output, size_t *output_count, const uint8_t **input, size_t *input_count) {
    for (;;) {
        z_stream *stream = &zlib->stream;
        uInt read = lk_zlib_part(*input_count), written = lk_zlib_part(*output_count);
        int flush = finishes && read == *input_count ? Z_FINISH : Z_NO_FLUSH;
        stream->next_in = (Bytef *)*input;
        stream->avail_in = read;
        stream->next_out = *output;
        stream->avail_out = written;
        int outcome = zlib->compresses ? deflate(stream, flush) : inflate(stream, Z_NO_FLUSH);
        read -= stream->avail_in;
        written -= stream->avail_out;
        *input += read;
        *input_count -= read;
        *output += written;
        *output_count -= written;
        if (outcome == Z_STREAM_END) return LK_ZLIB_END;
        if (outcome != Z_OK && outcome != Z_BUF_ERROR) return LK_ZLIB_ERROR;
        if (*output_count == 0 || (*input_count == 0 && !finishes)) return LK_ZLIB_OK;
        /* A stream that stands still for ever: compressed data ends too early, or there is more input after the end of a
           stream that compresses. */
        if (read == 0 && written == 0) return LK_ZLIB_ERROR;
    }
}

#endif
