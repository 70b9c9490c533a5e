import { ORIGIN } from '../support/passkey-desk.ts'
import type { Ceremony } from '../testkit/passkey-verifier/software-authenticator.ts'

/** The options that the service made, at a page of the application. */
export const ceremonyOf = ({ options }: Readonly<{ options: object }>): Ceremony => {
  const { challenge, rpId, rp } = options as { challenge: string; rpId?: string; rp?: { id: string } }
  return { challenge, rpId: rpId ?? rp?.id ?? '', origin: ORIGIN }
}
