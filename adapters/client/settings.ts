import type { CallSettings } from './call.ts'
import type { SealingSecrets } from './sealed-cookies.ts'
import type { Fetch } from './send.ts'

/** What a program needs to verify user tokens. */
export type VerifierSettings = Readonly<{
  /** Where the service answers, with the path of its `PUBLIC_URL`: `https://auth.example.com`. */
  url: string
  /** Sends the requests, each with its URL and its options: the global `fetch` by default. */
  fetch?: Fetch | undefined
  /** Milliseconds for a whole call, with its repetitions; 10,000 by default. */
  timeout?: number | undefined
  /** The `PUBLIC_URL` of the service, if `url` is another one. `verify` accepts only its tokens. */
  issuer?: string | undefined
}>

export type ClientSettings = VerifierSettings &
  Readonly<{
    publicApiKey: string
    privateApiKey: string
    /**
     * Encrypt the cookies of `cookies`: the newest first, which seals. By default, the private API key, so that its rotation signs all
     * users out. Each has at least 32 characters.
     */
    cookieSecrets?: SealingSecrets | undefined
  }>

/** @throws TypeError if a setting has the wrong form */
export const checkedSettings = ({
  url,
  issuer = url,
  timeout = 10_000,
  fetch = globalFetch,
}: VerifierSettings): Pick<CallSettings, 'url' | 'timeout' | 'fetch'> & Readonly<{ issuer: string }> => {
  for (const [name, text] of Object.entries({ url, issuer })) {
    const { protocol, username, password, search } = URL.canParse(text) ? new URL(text) : { protocol: '' }
    if (!/^https?:$/.test(protocol) || username || password || search)
      throw new TypeError(
        `${name} must be the http or https URL of Portcullis, without user, password and query.`,
      )
  }
  if (typeof fetch !== 'function') throw new TypeError('fetch must be a function.')
  if (!(timeout > 0 && timeout <= LONGEST_TIMEOUT_MS))
    throw new TypeError(`timeout must be 1 to ${LONGEST_TIMEOUT_MS} milliseconds, got ${timeout}.`)
  return { url, issuer: issuer.replace(/\/$/, ''), timeout, fetch }
}

/** Only the API keys that begin like those of the other kind: your own generator may make others. */
export const checkedKeys = ({
  publicApiKey,
  privateApiKey,
}: ClientSettings): Pick<ClientSettings, 'publicApiKey' | 'privateApiKey'> => {
  for (const [name, key] of Object.entries({ publicApiKey, privateApiKey }))
    if (typeof key !== 'string' || key === '') throw new TypeError(`${name} is missing.`)
  if (publicApiKey.startsWith('sk_'))
    throw new TypeError('publicApiKey is a private API key: it begins with sk_. Swap the two keys.')
  if (privateApiKey.startsWith('pk_'))
    throw new TypeError('privateApiKey is a public API key: it begins with pk_. Swap the two keys.')
  return { publicApiKey, privateApiKey }
}

/**
 * What seals cookies. The form of the private API key is that of its generator.
 *
 * @throws TypeError if the secrets are too few, too many or too short
 */
export const checkedSecrets = ({ cookieSecrets: secrets, privateApiKey }: ClientSettings): SealingSecrets => {
  if (secrets === undefined) return [privateApiKey]
  const areFit = Array.isArray(secrets) && secrets.length >= 1 && secrets.length <= MOST_SECRETS
  if (areFit && secrets.every((secret) => typeof secret === 'string' && secret.length >= SHORTEST_SECRET))
    return secrets
  throw new TypeError(
    `cookieSecrets must be 1 to ${MOST_SECRETS} texts of at least ${SHORTEST_SECRET} characters, the newest first.`,
  )
}

const MOST_SECRETS = 5

/** 128 random bits as hexadecimal digits. HKDF makes a short secret no stronger. */
const SHORTEST_SECRET = 32

/** It is looked up at each request, because tests and tracing replace it. */
const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init)

/** Timers cannot run longer: a signed 32-bit number. The feed adds its wait. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1 - 60_000
