/*
 * CRC-32 by carry-less products, as the JVM computes it: what lies 2048 (or 512) bits ahead is
 * folded onto the next bytes, in 512-bit registers where the processor has them, else in 128-bit
 * ones (Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ").
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* By how many bytes follow a byte, 0 to 15, and by the byte. */
static uint32_t crc_table[16][256];
static int wide_products;

__attribute__((constructor)) static void prepare_crc(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
    }
    crc_table[0][i] = crc;
  }
  for (int follow = 1; follow < 16; follow++) {
    for (int i = 0; i < 256; i++) {
      uint32_t before = crc_table[follow - 1][i];
      crc_table[follow][i] = crc_table[0][before & 255] ^ before >> 8;
    }
  }
  wide_products = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("vpclmulqdq");
}

static uint32_t crc_bytes(uint32_t crc, const unsigned char *at, size_t length) {
  for (; length > 0; at++, length--) {
    crc = crc_table[0][(crc ^ *at) & 255] ^ crc >> 8;
  }
  return crc;
}

static inline __m128i crc_load(const unsigned char *at) {
  return _mm_loadu_si128((const __m128i *)at);
}

static inline __m128i crc_fold(__m128i folded, __m128i by, __m128i next) {
  __m128i low = _mm_clmulepi64_si128(folded, by, 0x00);
  __m128i high = _mm_clmulepi64_si128(folded, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Powers of x modulo the polynomial, by which 128 and 512 bits are skipped. */
#define BY_128 _mm_set_epi64x(0x0ccaa009e, 0x1751997d0)
#define BY_512 _mm_set_epi64x(0x1c6e41596, 0x154442bd4)
#define BY_2048 _mm_set_epi64x(0x1322d1430, 0x11542778a)

/* What is left after the last whole block, after everything before it was folded. */
static uint32_t crc_tail(__m128i folded, const unsigned char *at, size_t length) {
  unsigned char rest[16];
  uint32_t crc = 0;
  for (; length >= 16; at += 16, length -= 16) {
    folded = crc_fold(folded, BY_128, crc_load(at));
  }
  _mm_storeu_si128((__m128i *)rest, folded);
  for (int i = 0; i < 16; i++) {
    crc ^= crc_table[15 - i][rest[i]];
  }
  return ~crc_bytes(crc, at, length);
}

/* At least 64 bytes. */
static uint32_t crc_narrow(const unsigned char *at, size_t length) {
  __m128i a = _mm_xor_si128(crc_load(at), _mm_cvtsi32_si128(-1));
  __m128i b = crc_load(at + 16), c = crc_load(at + 32), d = crc_load(at + 48);
  for (at += 64, length -= 64; length >= 64; at += 64, length -= 64) {
    a = crc_fold(a, BY_512, crc_load(at));
    b = crc_fold(b, BY_512, crc_load(at + 16));
    c = crc_fold(c, BY_512, crc_load(at + 32));
    d = crc_fold(d, BY_512, crc_load(at + 48));
  }
  a = crc_fold(crc_fold(crc_fold(a, BY_128, b), BY_128, c), BY_128, d);
  return crc_tail(a, at, length);
}

#define WIDE __attribute__((target("avx512f,avx512vl,vpclmulqdq")))

/*
 * Written out because the same consumer is asked for on both sides: these are the instructions of
 * HotSpot's CRC-32 (JDK 25), of which intrinsics would make fewer, with vpternlogq and operands in
 * memory. Where memory is the limit, that looks farther ahead and is some 6% faster, which would
 * be a difference between consumers and not between readers (docs/reading-benchmarks.md).
 */
WIDE static inline __m512i crc_wide_fold(__m512i folded, __m512i by, const unsigned char *at) {
  __m512i low, high, next;
  __asm__("vmovdqu64 %[at], %[next]\n\t"
          "vpclmulqdq $0x00, %[by], %[folded], %[low]\n\t"
          "vpclmulqdq $0x11, %[by], %[folded], %[high]\n\t"
          "vpxorq %[high], %[low], %[folded]\n\t"
          "vpxorq %[next], %[folded], %[folded]"
          : [folded] "+v"(folded), [low] "=&v"(low), [high] "=&v"(high), [next] "=&v"(next)
          : [by] "v"(by), [at] "m"(*(const __m512i_u *)at));
  return folded;
}

WIDE static inline __m512i crc_wide_join(__m512i folded, __m512i by, __m512i next) {
  __m512i low = _mm512_clmulepi64_epi128(folded, by, 0x00);
  __m512i high = _mm512_clmulepi64_epi128(folded, by, 0x11);
  return _mm512_ternarylogic_epi64(low, high, next, 0x96);
}

/* At least 256 bytes. */
WIDE static uint32_t crc_wide(const unsigned char *at, size_t length) {
  const __m512i by_2048 = _mm512_broadcast_i32x4(BY_2048);
  const __m512i by_512 = _mm512_broadcast_i32x4(BY_512);
  __m512i ones = _mm512_zextsi128_si512(_mm_cvtsi32_si128(-1));
  __m512i a = _mm512_xor_si512(_mm512_loadu_si512(at), ones);
  __m512i b = _mm512_loadu_si512(at + 64);
  __m512i c = _mm512_loadu_si512(at + 128);
  __m512i d = _mm512_loadu_si512(at + 192);
  for (at += 256, length -= 256; length >= 256; at += 256, length -= 256) {
    a = crc_wide_fold(a, by_2048, at);
    b = crc_wide_fold(b, by_2048, at + 64);
    c = crc_wide_fold(c, by_2048, at + 128);
    d = crc_wide_fold(d, by_2048, at + 192);
  }
  a = crc_wide_join(crc_wide_join(crc_wide_join(a, by_512, b), by_512, c), by_512, d);
  for (; length >= 64; at += 64, length -= 64) {
    a = crc_wide_fold(a, by_512, at);
  }
  __m128i folded = crc_fold(_mm512_castsi512_si128(a), BY_128, _mm512_extracti32x4_epi32(a, 1));
  folded = crc_fold(folded, BY_128, _mm512_extracti32x4_epi32(a, 2));
  folded = crc_fold(folded, BY_128, _mm512_extracti32x4_epi32(a, 3));
  return crc_tail(folded, at, length);
}

static uint32_t crc_of(const void *data, size_t length) {
  if (length >= 256 && wide_products) {
    return crc_wide(data, length);
  }
  return length >= 64 ? crc_narrow(data, length) : ~crc_bytes(~0u, data, length);
}
