import { EXAMPLE } from '../operation/example-values.ts'
import { clientForm } from './client.ts'

/** The form of introspection and revocation. The format of a token tells its kind, so the hint has no effect. */
export const TOKEN_FORM = clientForm(
  {
    token: { description: 'The token in question.', example: EXAMPLE.userToken },
    token_type_hint: { description: 'Accepted and ignored.', example: 'access_token' },
  },
  'token',
)
