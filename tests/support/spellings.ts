const known = new Map<string, ReadonlyArray<string>>()

/** A secret as it might show up somewhere: as it is, in hexadecimal, and in base64 wherever it begins there. */
export const spellingsOf = (secret: string): ReadonlyArray<string> => {
  const before = known.get(secret)
  if (before !== undefined) return before
  const made = [
    secret,
    Buffer.from(secret).toString('hex'),
    // What stands before and behind it decides on the first and the last characters of its base64.
    ...[0, 1, 2].map((shift) =>
      Buffer.from('x'.repeat(shift) + secret)
        .toString('base64url')
        .slice(shift === 0 ? 0 : 4, -3),
    ),
  ]
  known.set(secret, made)
  return made
}
