import * as fc from 'fast-check'

/** Values that random requests are made of. */

/** Mostly the right value, so that a request has few errors and gets far. Shrinks to the right value. */
export const mostly = <T>(right: T, ...odd: ReadonlyArray<fc.Arbitrary<T>>): fc.Arbitrary<T> =>
  fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(right), weight: 9 },
    { arbitrary: fc.oneof(...odd), weight: 1 },
  )

export const among = <const T>(...all: ReadonlyArray<T>): fc.Arbitrary<T> => fc.constantFrom(...all)

export const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

/** Any bytes at all. */
export const bytes = (maxLength: number): fc.Arbitrary<string> =>
  fc.uint8Array({ maxLength }).map((all) => Buffer.from(all).toString('latin1'))

/** Any bytes except line ends, so that they do not decide where a request ends. */
export const lineBytes = (maxLength: number): fc.Arbitrary<string> =>
  bytes(maxLength).map((any) => any.replaceAll(/[\r\n]/g, '!'))

/** Any UTF-16, including lone surrogates and U+0000. */
export const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.nat(0x7f), among(0, 0xd800, 0xdfff, 0xfeff, 0x2028)), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units))

/** A secret sent where it does not belong. */
export const secret = among(
  '%password%',
  '%email%',
  '%privateKey%',
  '%user%',
  '%application%',
  '%recovery%',
  '%confirmation%',
  '%record%',
  '%email%:%password%',
)
