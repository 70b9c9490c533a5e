const known = new Map<string, ReadonlyArray<string>>()

/** A secret in the encodings in which it may appear: plain, hexadecimal, and base64 at every offset. */
export const spellingsOf = (secret: string): ReadonlyArray<string> => {
  const before = known.get(secret)
  if (before !== undefined) return before
  const made = [
    secret,
    Buffer.from(secret).toString('hex'),
    // The bytes before and after it change the first and last characters of its base64.
    ...[0, 1, 2].map((shift) =>
      Buffer.from('x'.repeat(shift) + secret)
        .toString('base64url')
        .slice(shift === 0 ? 0 : 4, -3),
    ),
  ]
  known.set(secret, made)
  return made
}
