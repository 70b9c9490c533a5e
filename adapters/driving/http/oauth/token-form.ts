import { SAMPLE } from '../operation/samples.ts'
import { clientForm } from './client.ts'

/** A form about a token. The hint is for services that have to look for one; ours say themselves what they are. */
export const TOKEN_FORM = clientForm(
  {
    token: { description: 'The token that it is about.', example: SAMPLE.userToken },
    token_type_hint: { description: 'Taken, and not needed.', example: 'access_token' },
  },
  'token',
)
