import { none, type Option, some } from 'fp-ts/lib/Option.js'

/** Returns when a UUID of version 7 was made, in milliseconds since 1970 (RFC 9562 §5.7); none for other texts. */
export const uuidTime = (text: string): Option<number> => {
  const [, high = '', low = ''] =
    /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(text) ?? []
  return high === '' ? none : some(Number.parseInt(high + low, 16))
}
