import { type ClientSettings, type Portcullis, portcullis } from '../../adapters/client/client.ts'
import { SECRET } from './calls.ts'
import { type OwnTime, ownTime } from './own-time.ts'
import type { Signer } from './signer.ts'

export const ISSUER = 'https://id.example.com/auth'

/** A client whose `fetch` answers with the keys of signers. */
export type KeyServer = Readonly<{
  auth: Portcullis
  time: OwnTime
  /** The path of each request. */
  fetched: Array<string>
  /** Whose keys are published from now on. */
  publish: (...signers: ReadonlyArray<Signer>) => void
  /** Answers the next requests otherwise. */
  next: (...answers: ReadonlyArray<() => Promise<Response> | Response>) => void
  /** Answers the next questions for the issuer otherwise. It is `ISSUER`. */
  nextIssuers: (...answers: ReadonlyArray<() => Promise<Response> | Response>) => void
}>

export const METADATA = 'oauth-authorization-server'

export const keyServer = (first: Signer, settings: Partial<ClientSettings> = {}): KeyServer => {
  const time = ownTime()
  const fetched: Array<string> = []
  const script: Array<() => Promise<Response> | Response> = []
  const issuers: Array<() => Promise<Response> | Response> = []
  let published: ReadonlyArray<Signer> = [first]
  const { publicApiKey, privateApiKey } = SECRET
  const fetchKeys = async (url: string): Promise<Response> => {
    const { pathname } = new URL(url)
    fetched.push(pathname.replace('/auth/.well-known/', ''))
    if (pathname.endsWith(METADATA)) return issuers.shift()?.() ?? Response.json({ issuer: ISSUER })
    const scripted = script.shift()
    if (scripted !== undefined) return scripted()
    const isPaseto = pathname.endsWith('/paseto-keys.json')
    return Response.json({ keys: published.map(({ paserk, jwk }) => (isPaseto ? paserk : jwk)) })
  }
  return {
    auth: portcullis({ url: ISSUER, publicApiKey, privateApiKey, fetch: fetchKeys, ...settings }, time),
    time,
    fetched,
    publish: (...signers) => {
      published = signers
    },
    next: (...answers) => script.push(...answers),
    nextIssuers: (...answers) => issuers.push(...answers),
  }
}
