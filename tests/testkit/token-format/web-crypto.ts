/** Ed25519 and HMAC as every runtime of today has them, so that no token is judged by the library that made it. */

export const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(base64url, 'base64url'))

export const base64url = (content: string | Uint8Array): string => Buffer.from(content).toString('base64url')

/** Whether a public key, 32 bytes in base64url, fits a signature. */
export const isSignedBy = async (x: string, signature: Uint8Array, signed: Uint8Array): Promise<boolean> => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x }
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])
  return crypto.subtle.verify('Ed25519', key, Uint8Array.from(signature), Uint8Array.from(signed))
}

/** Somebody with a key of their own. */
export const stranger = async () => {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('a key pair was made of one key')
  const { x = '' } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  return {
    jwk: { kty: 'OKP', crv: 'Ed25519', x },
    sign: async (content: Uint8Array): Promise<Uint8Array> =>
      new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, Uint8Array.from(content))),
  }
}

export const hmac = async (secret: string | Uint8Array, content: string): Promise<Uint8Array> => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', Uint8Array.from(Buffer.from(secret)), algorithm, false, [
    'sign',
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, Uint8Array.from(Buffer.from(content))))
}

/** Thirty-two bytes in base64url, in their one spelling. */
export const isPublicKey = (x: string): boolean => bytesOf(x).length === 32 && base64url(bytesOf(x)) === x
