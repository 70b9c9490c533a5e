import type { AssertionOptions, RegistrationOptions } from '../../domain/passkey-options.ts'
import { ORIGIN } from '../support/passkey-desk.ts'
import type { Ceremony } from '../testkit/passkey-verifier/software-authenticator.ts'

/** A text as it stands between the quotes of a JSON text. */
export const withinJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** A page of the application, with options that the service made. */
export const pageOf = ({
  options,
}: Readonly<{ options: AssertionOptions | RegistrationOptions }>): Ceremony => ({
  challenge: options.challenge,
  rpId: 'rp' in options ? options.rp.id : options.rpId,
  origin: ORIGIN,
})
