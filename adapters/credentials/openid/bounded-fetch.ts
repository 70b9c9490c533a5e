import { ProviderDown } from './calls.ts'

/** What a provider may cost. */
export type Limits = Readonly<{
  /** For the connection and the whole answer. */
  timeoutMs: number
  maxBytes: number
  callsAtOnce: number
  /** How long its metadata is kept. */
  metadataMs: number
}>

export const LIMITS: Limits = {
  timeoutMs: 5_000,
  maxBytes: 1_048_576,
  callsAtOnce: 20,
  metadataMs: 3_600_000,
}

export type BoundedFetch = (url: string, init?: RequestInit) => Promise<Response>

/**
 * Calls a provider. It follows no redirect: that would carry the client secret elsewhere.
 *
 * @throws ProviderDown for an answer that does not come in time, is too large, leads elsewhere, or says that the provider has a fault
 */
export const boundedFetch =
  (issuer: string, { timeoutMs, maxBytes }: Limits): BoundedFetch =>
  async (url, init) => {
    if (!isSafeEndpoint(url, issuer)) throw new ProviderDown()
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(url, { ...init, redirect: 'manual', signal })
      const { status, headers } = response
      if ((status >= 300 && status < 400) || status === 429 || status >= 500) {
        await response.body?.cancel()
        throw new ProviderDown()
      }
      const bytes = await bytesOf(response, maxBytes)
      return new Response(bytes.length === 0 ? null : bytes, { status, headers: namedIn(headers) })
    } catch (cause) {
      throw new ProviderDown(undefined, { cause })
    }
  }

/** Whether a call is encrypted, or stays on this machine because the issuer does. */
export const isSafeEndpoint = (url: string, issuer: string): boolean => {
  const { protocol, hostname } = URL.parse(url) ?? NOWHERE
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && isLoopback(hostname) && URL.parse(issuer)?.protocol === 'http:')
  )
}

const NOWHERE = { protocol: '', hostname: '' }

/** `URL` writes every IPv4 address with four numbers. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/** Counts what was decompressed. */
const bytesOf = async ({ body }: Response, most: number): Promise<Uint8Array<ArrayBuffer>> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    if (length > most) throw new ProviderDown() // the loop cancels the body
    parts.push(part)
  }
  return Uint8Array.from(Buffer.concat(parts))
}

/** Those that say something about the read body. */
const namedIn = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'www-authenticate'].flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
