/**
 * Different local addresses, for tests that need several callers. Only Linux allows every user to bind to
 * all of 127.0.0.0/8.
 */
export const HAS_MANY_ADDRESSES = process.platform === 'linux'

let taken = 0

/** An address that no other test uses. */
export const newAddress = (): string => {
  taken += 1
  return `127.1.${Math.floor(taken / 250)}.${1 + (taken % 250)}`
}
