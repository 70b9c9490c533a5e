import { type Bytes, base64urlOf, bytesIn } from './encoding.ts'
import type { Time } from './time.ts'

/** The text of the header `Cookie`: what Node.js, a `Headers` object or a framework has. */
export type CookieHeader = string | null | undefined

/** What a sealed cookie contains, and when it ends, in milliseconds since 1970. */
export type Opened = Readonly<{ text: string; endsAt: number }>

/** Cookies that only a program with the same secret can write or read. The newest secret seals. Names have no prefix `__Host-` here. */
export type SealedCookies = Readonly<{
  /** The line `Set-Cookie` of a text that lives so many seconds. */
  seal(name: string, text: string, seconds: number): Promise<string>
  /** Undefined without such a cookie, and for one that is changed, moved from another name, over, or sealed with another secret. */
  open(name: string, header: CookieHeader): Promise<Opened | undefined>
}>

/** Each cookie is sealed with the first one, and opened with any. */
export type SealingSecrets = readonly [newest: string, ...older: ReadonlyArray<string>]

/** Browsers must keep a line of this length (RFC 6265 §6.1), and drop longer ones silently. */
const LONGEST_LINE = 4096

const PREFIX = '__Host-'

/** AES-GCM with random nonces: one key seals 2^32 texts (NIST SP 800-38D §8.3), more than a product sends cookies. */
const NONCE_LENGTH = 12

/** RFC 10017 recommends encryption: neither a file of the browser nor a log of a proxy shows a token. */
export const sealedCookies = (secrets: SealingSecrets, { now }: Time): SealedCookies => {
  let derived: Promise<ReadonlyArray<Key>> | undefined
  const keys = () => {
    derived ??= Promise.all(secrets.map(keyOf))
    return derived
  }
  return {
    seal: async (name, text, seconds) => {
      if (!(seconds > 0 && seconds < Number.MAX_SAFE_INTEGER / 1000))
        throw new TypeError('The seconds of a cookie must be a positive number.')
      const iv = crypto.getRandomValues(new Uint8Array(NONCE_LENGTH))
      const content = utf8(`${now() + 1000 * seconds} ${text}`)
      const [newest] = await keys()
      const sealed = await crypto.subtle.encrypt(algorithmOf(name, iv), newest as Key, content)
      const line = lineOf(name, base64urlOf(joined(iv, new Uint8Array(sealed))), Math.ceil(seconds))
      if (line.length <= LONGEST_LINE) return line
      throw new TypeError(
        `The cookie ${name} would have ${line.length} bytes, but browsers keep ${LONGEST_LINE}.`,
      )
    },

    open: async (name, header) => {
      const [sent, ...others] = cookiesIn(header, (one) => one === name)
      // A browser has one cookie of a name with this prefix. Another host or a broken proxy has added a second one.
      if (sent === undefined || others.length > 0 || sent.value.length > LONGEST_LINE) return undefined
      const bytes = bytesIn(sent.value)
      if (bytes === undefined) return undefined
      const algorithm = algorithmOf(name, bytes.slice(0, NONCE_LENGTH))
      const decrypted = (await keys()).map((key) =>
        crypto.subtle.decrypt(algorithm, key, bytes.slice(NONCE_LENGTH)),
      )
      // They reject for every reason alike: too short, changed, another name or key.
      const content = await Promise.any(decrypted).catch(() => undefined)
      if (content === undefined) return undefined
      const [endsAt = '', ...words] = new TextDecoder().decode(content).split(' ')
      return now() < Number(endsAt) ? { text: words.join(' '), endsAt: Number(endsAt) } : undefined
    },
  }
}

/** The line that removes a cookie. */
export const removalOf = (name: string): string => lineOf(name, '', 0)

/** The cookies of a header whose name fits, without the prefix. */
export const cookiesIn = (
  header: CookieHeader,
  fits: (name: string) => boolean,
): ReadonlyArray<Readonly<{ name: string; value: string }>> =>
  (header ?? '').split(';').flatMap((pair) => {
    const [, name = '', value = ''] = /^ *__Host-([^=]+)=(.*)$/.exec(pair) ?? []
    return fits(name) ? [{ name, value }] : []
  })

/** No script and no other host can read or set it. With `Strict`, a user who follows a link in a mail would seem to be signed out. */
const lineOf = (name: string, value: string, seconds: number): string =>
  `${PREFIX}${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${seconds}`

/** The name is authenticated, so that no value counts under another name. */
const algorithmOf = (name: string, iv: Bytes) => ({
  name: 'AES-GCM',
  iv,
  additionalData: utf8(`${PREFIX}${name}`),
})

type Key = Awaited<ReturnType<typeof keyOf>>

/** A key of its own for cookies (RFC 5869). The secret is random, so no salt is necessary. */
const keyOf = async (secret: string) =>
  crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8('portcullis client cookies') },
    await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, ['deriveKey']),
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )

const joined = (first: Uint8Array, second: Uint8Array): Bytes => {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

const utf8 = (text: string): Bytes => new TextEncoder().encode(text)
