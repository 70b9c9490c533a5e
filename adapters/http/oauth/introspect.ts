import { isLeft } from 'fp-ts/lib/Either.js'
import type { Authenticate } from '../../../application/authenticate.ts'
import type { Introspect } from '../../../application/introspect.ts'
import { isPresent } from '../../../domain/field.ts'
import { failed, ok } from '../answer.ts'
import { authenticated } from '../authenticated.ts'
import { answerTo } from '../failures.ts'
import { readForm } from '../form.ts'
import type { Route } from '../route.ts'

/**
 * RFC 7662: another service asks about a token. The token asked about comes in the form, and the one that may ask in the
 * header; neither is ever taken for the other.
 */
export const introspectRoute = (authenticate: Authenticate, introspect: Introspect): Route => ({
  path: '/oauth2/introspect',
  methods: ['POST'],
  answer: (request) => async () => {
    const caller = await authenticated(authenticate, 'introspect')(request)()
    if (isLeft(caller)) return answerTo(caller.left)
    const form = await readForm(request.message, PARAMETERS)()
    if (isLeft(form)) return answerTo(form.left)
    const { token } = form.right
    if (!isPresent(token)) return failed(400, 'token is missing or empty.')
    const introspection = await introspect(token)()
    return isLeft(introspection) ? answerTo(introspection.left) : ok(introspection.right)
  },
})

/** The hint is for services that have to look for a token; ours say themselves what they are. */
const PARAMETERS = ['token', 'token_type_hint'] as const
