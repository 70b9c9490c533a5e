import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, type Module, type Service } from '../../adapters/index.ts'
import { judgeAnswersOn } from '../openapi/judged-answers.ts'
import { type Answer, httpClient, type TestRequest } from './http-client.ts'
import { OPERATOR } from './operator.ts'
import { succeed } from './outcome.ts'
import { CONTEXT } from './request-context.ts'
import { settings } from './settings.ts'

/** A service on a real socket, with an application and a user. */
export type RunningService = Readonly<{
  service: Service
  port: number
  keys: Readonly<{ public_api_key: string; private_api_key: string }>
  user: Readonly<{ id: string; email: string; password: string }>
  send: (request: TestRequest) => Promise<Answer>
  /** A new application token. */
  applicationToken: () => Promise<string>
  /** A new token of the user, or of another one. */
  userToken: (credentials?: { email: string; password: string; label?: string }) => Promise<string>
  stop: () => Promise<void>
}>

/** Computed once, because it takes longer than starting a service. It depends on the settings, and of all modules on the rules. */
const documentFor = (
  service: Service,
  { DATABASE_URL: _, ...environment }: Environment,
  modules: ReadonlyArray<Module>,
): string => {
  if (modules.some(({ what }) => CHANGES_ROUTES.includes(what))) return service.openApi()
  const key = JSON.stringify(environment)
  const document = documents.get(key) ?? service.openApi()
  documents.set(key, document)
  return document
}

const CHANGES_ROUTES: ReadonlyArray<unknown> = [Dependency.passwordRules, Dependency.identityProviders]

const documents = new Map<string, string>()

export const startService = async (
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<RunningService> => {
  const service = await compose(settings(environment), ...modules)
  const port = await service.listen('127.0.0.1', 0)
  const unjudged = judgeAnswersOn(port, documentFor(service, environment, modules))
  const { send, close } = httpClient(`http://127.0.0.1:${port}`)
  const made = await succeed(
    service.registerApplication(CONTEXT, { name: 'tests', scope: 'users:sign_in users:register' }),
  )
  const keys = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
  const credentials = { email: 'Ada@Example.com', password: 'correct horse' }
  const { id } = await succeed(service.registerUser(CONTEXT, credentials, OPERATOR))

  const applicationToken = async () => {
    const { body } = await send({ method: 'POST', path: '/api/v1/auth/application/token', body: keys })
    return body.token
  }

  return {
    service,
    port,
    keys,
    user: { id, ...credentials },
    send,
    applicationToken,
    userToken: async (of = credentials) => {
      const token = await applicationToken()
      const { body } = await send({ method: 'POST', path: '/api/v1/auth/user/token', token, body: of })
      return body.token
    },
    stop: async () => {
      await close()
      await service.stop()
      unjudged()
    },
  }
}
