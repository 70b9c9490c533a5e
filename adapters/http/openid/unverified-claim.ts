/** Returns a text that a JWT claims. Nobody has verified the token, so the claim only says what to look up. */
export const unverifiedClaim = (token: string, name: 'aud' | 'client_id'): string | undefined => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const claim: unknown = Object(claims)[name]
    return typeof claim === 'string' ? claim : undefined
  } catch {
    return undefined
  }
}
