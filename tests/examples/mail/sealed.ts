import { hkdfSync } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'

/**
 * Encrypts what a link carries, so that only this application can read or write it. Each purpose has its own key.
 *
 * @param secret has at least 256 random bits, as a private API key has
 */
export const sealer = <Content extends Readonly<Record<string, string>>>(secret: string, purpose: string) => {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    seal: (content: Content, seconds: number): Promise<string> =>
      new EncryptJWT(content)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(`${seconds} seconds`)
        .encrypt(key),

    /** The content, or nothing if another program wrote it or its time is over. */
    open: (sealed: string): Promise<Content | undefined> =>
      jwtDecrypt<Content>(sealed, key).then(
        ({ payload }) => payload,
        () => undefined,
      ),
  }
}
