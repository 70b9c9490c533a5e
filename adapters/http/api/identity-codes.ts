import type { StartedIdentity } from '../../../application/factors/start-identity.ts'
import type {
  IdentityAnswerProblem,
  IdentityLinkProblem,
  IdentityLinkStartProblem,
  IdentityStartProblem,
} from '../../../domain/identity.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import { jsonFields } from '../operation/fields.ts'
import type { Codes } from '../operation/response.ts'
import { integer, object, text } from '../operation/schema.ts'

/** The fields of each start at a provider. */
export const START = {
  provider: { description: 'The `name` of the provider in `IDENTITY_PROVIDERS_FILE`.', example: 'google' },
  redirect_uri: {
    description:
      'Where the provider sends the browser: one of `--redirect-uri` of the application. It is registered at the provider, too.',
    example: EXAMPLE.identityRedirectUri,
  },
}

/** Those of a start in a session. */
export const IDENTITY_START_FIELDS = jsonFields(START)

/** What each start returns. */
export const IDENTITY_STARTED = {
  status: 200,
  description:
    'Send the browser to `url`, and keep `transaction` in the session that the application has with it.',
  body: object({
    url: text('The address at the provider.'),
    transaction: text('What completes it. Nobody can read or change it, and nothing completes without it.'),
    expires_in: integer('How long the transaction can be completed, in seconds.'),
  }),
} as const

export const startedJson = ({ url, transaction, expiresInSeconds }: StartedIdentity) => ({
  url,
  transaction,
  expires_in: expiresInSeconds,
})

export const STARTED_EXAMPLE = {
  fields: { provider: 'google', redirect_uri: EXAMPLE.identityRedirectUri },
  status: 200,
  body: { url: EXAMPLE.identityUrl, transaction: EXAMPLE.identityTransaction, expires_in: 600 },
} as const

/** The fields that bring an answer back. */
export const ANSWER_FIELDS = {
  transaction: { description: 'The `transaction` of the start.', example: EXAMPLE.identityTransaction },
  answer: {
    description: 'The query with which the browser came back, unchanged.',
    example: EXAMPLE.identityAnswer,
  },
}

export const IDENTITY_START_CODES: Codes<IdentityStartProblem> = {
  ProviderUnknown: {
    code: 1,
    param: 'provider',
    message: 'provider is not the name of an identity provider.',
  },
  RedirectUriUnknown: {
    code: 2,
    param: 'redirect_uri',
    message: 'redirect_uri is not one of the redirect URIs of the application.',
  },
}

/** One message for every reason of a provider's answer that is refused. The log has the reason. */
export const IDENTITY_REFUSED = {
  code: 4,
  param: 'answer',
  message: 'The sign-in at the provider did not succeed. Start again.',
}

export const ANSWER_CODES: Codes<IdentityAnswerProblem | 'IdentityRefused'> = {
  TransactionEnded: {
    code: 3,
    param: 'transaction',
    message: 'transaction is missing, has ended, or belongs to something else. Start again.',
  },
  AnswerMissing: IDENTITY_REFUSED,
  IdentityRefused: IDENTITY_REFUSED,
}

export const LINK_START_CODES: Codes<IdentityLinkStartProblem> = {
  OwnEmailNotVerified: { code: 10, param: 'email', message: 'Confirm the e-mail of the account first.' },
  TooManyIdentities: {
    code: 15,
    param: 'provider',
    message: 'The account has ten identities. Remove one to link another.',
  },
}

export const LINK_CODES: Codes<IdentityLinkProblem> = {
  IdentityTaken: { code: 9, param: 'answer', message: 'This identity is already linked to an account.' },
  ...LINK_START_CODES,
}
