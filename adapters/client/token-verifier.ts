import { caller } from './call.ts'
import { bytesIn } from './encoding.ts'
import { PortcullisUnavailable } from './failures.ts'
import type { PublicKeys } from './key-set.ts'
import { TIME_OVER, withinLimit } from './limit.ts'
import type { Options } from './results.ts'
import { checkedSettings, type VerifierSettings } from './settings.ts'
import { systemTime, type Time } from './time.ts'
import { type VerifiedToken, verifier } from './verify.ts'

/** Verifies the user tokens of one service. */
export type TokenVerifier = Readonly<{
  /** Verifies a user token offline. It cannot know of a sign-out. */
  verify(token: string, options?: Pick<Options, 'signal'>): Promise<VerifiedToken>
}>

/**
 * Verifies user tokens without API keys (docs/client.md).
 *
 * @param time another one for tests
 * @throws TypeError if a setting has the wrong form
 */
export const tokenVerifier = (settings: VerifierSettings, time: Time = systemTime): TokenVerifier => {
  const server = checkedSettings(settings)
  const send = caller({ ...server, publicApiKey: '', privateApiKey: '', time }) // no request here has keys
  return verifierOf(server, send, time)
}

/** The same for settings that were checked. `send` makes the requests. */
export const verifierOf = (
  { issuer, timeout }: ReturnType<typeof checkedSettings>,
  send: ReturnType<typeof caller>,
  time: Time,
): TokenVerifier => {
  const verify = verifier(
    issuer,
    {
      paseto: () =>
        keysIn(send({ id: 'listUserTokenKeys' }), ({ paserk }) => String(paserk).slice(PASERK.length)),
      jwt: () => keysIn(send({ id: 'listUserJwtKeys' }), ({ x }) => String(x)),
      issuer: async () => Object(await send({ id: 'getOauthMetadata' })).issuer,
    },
    time,
  )
  return {
    verify: async (token, options) => {
      try {
        return await withinLimit(time, timeout, options?.signal, (limit) => verify(token, limit))
      } catch (error) {
        if (error === TIME_OVER) throw new PortcullisUnavailable('There were no keys in time.', 'none')
        throw error
      }
    },
  }
}

const PASERK = 'k4.public.'

/** A member of a published set of keys. It may come from another server. */
type Published = Readonly<{ kid: string; paserk?: unknown; x?: unknown }>

/** The keys of a published set by their ids. An incomplete key is not used. */
const keysIn = async (
  answer: Promise<object>,
  base64url: (key: Published) => string,
): Promise<PublicKeys> => {
  const { keys } = await answer.then(Object, (error) => {
    if (error instanceof PortcullisUnavailable) throw error
    return {} // a proxy refused the request
  })
  if (!Array.isArray(keys)) throw new PortcullisUnavailable(NO_KEYS, 'none')
  return new Map(
    keys.flatMap((key: Published | null) => {
      const bytes = key === null ? undefined : bytesIn(base64url(key))
      return key !== null && bytes?.length === 32 ? [[key.kid, bytes] as const] : []
    }),
  )
}

const NO_KEYS = 'There are no keys in the answer, so it is not one of Portcullis. Check url.'
