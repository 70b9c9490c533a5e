import type { PageUseCases } from '../../../application/use-cases/pages.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import type { Responder } from '../operation/operation.ts'
import { redirect } from '../operation/redirect.ts'
import { type Route, withPrefix } from '../operation/route.ts'
import { emailPage } from './email.ts'
import { formRoute } from './form-page.ts'
import { layout } from './layout.ts'
import { passwordPage } from './password.ts'
import { recoveryPage } from './recovery.ts'
import { securityRoute } from './security.ts'

/**
 * Pages for people (docs/account-pages.md). `/openapi.json` does not describe them: programs use the API.
 *
 * The W3C defines the change-password URL at the root of an origin. A proxy may forward only the prefix, so it is below the prefix
 * too.
 *
 * @param name of the product
 * @param prefix the path part of the public URL
 */
export const pagesRoutes = ({
  useCases,
  name,
  prefix,
  policy,
}: Readonly<{
  useCases: PageUseCases & Pick<RequestUseCases, 'completeRecovery' | 'completeEmailConfirmation'>
  name: string
  prefix: string
  policy: PasswordPolicy
}>): ReadonlyArray<Route<Responder>> => {
  const toResponse = layout(name)
  const password = passwordPage(useCases, policy)
  const { securityPage } = useCases
  const toPassword = redirect('/.well-known/change-password', 303, `${prefix}${password.path}`)
  return [
    ...withPrefix(prefix, [
      formRoute(password, toResponse),
      formRoute(recoveryPage(useCases.completeRecovery, policy), toResponse),
      formRoute(emailPage(useCases.completeEmailConfirmation), toResponse),
      ...(securityPage === undefined ? [] : [securityRoute(securityPage, toResponse)]),
      toPassword,
    ]),
    ...(prefix === '' ? [] : [toPassword]),
  ]
}
