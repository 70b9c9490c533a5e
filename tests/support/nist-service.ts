import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, type Module, type Service } from '../../adapters/index.ts'
import { digestLines } from '../leaked-list/digest-lines.ts'
import { apiClient } from './api-client.ts'
import { type Answer, httpClient } from './http-client.ts'
import { OPERATOR } from './operator.ts'
import { succeed } from './outcome.ts'
import { CONTEXT } from './request-context.ts'
import { settings } from './settings.ts'

/** A password that passes every policy. */
export const GOOD = 'nine purple otters sing'

/** The registered user, who is signed in. */
export const ADA = { email: 'Ada.Lovelace@Example.com', password: 'trombone gravel sunlit' }

/** A service with the NIST password policy and a file of leaked passwords. */
export type NistService = Readonly<{
  service: Service
  list: string
  register: (email: string | undefined, password: string) => Promise<Answer>
  /** Changes Ada's password. The defaults are her old password, and the new one as the repetition. */
  change: (newPassword: string, fields?: object) => Promise<Answer>
  signInStatus: (email: string, password: string) => Promise<number>
  send: ReturnType<typeof httpClient>['send']
  stop: () => Promise<void>
}>

export const startNistService = async (
  environment: Environment = {},
  leaked: ReadonlyArray<string> = ['anything'],
  ...modules: ReadonlyArray<Module>
): Promise<NistService> => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-policy-'))
  const list = join(folder, 'leaked.txt')
  await writeFile(list, digestLines(leaked, ':3', '\r\n'))
  const nist = {
    PASSWORD_POLICY: 'nist',
    PASSWORD_LEAKED_FILE: list,
    PUBLIC_URL: 'https://login.otterworks.test',
  }
  const service = await compose(settings({ ...nist, ...environment }), ...modules)
  const baseUrl = `http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`
  const { send, close } = httpClient(baseUrl)
  const api = apiClient(baseUrl)

  const scope = 'users:sign_in users:register'
  const shop = await succeed(service.registerApplication(CONTEXT, { name: 'shop', scope }))
  await succeed(service.registerUser(CONTEXT, ADA, OPERATOR))
  const keys = { public_api_key: shop.publicApiKey, private_api_key: shop.privateApiKey }
  const { token } = (await api.issueToken(keys)).body
  const userToken = (await api.signIn(token, ADA.email, ADA.password)).body.token

  return {
    service,
    list,
    register: (email, password) =>
      send({ method: 'POST', path: '/api/v1/users', token, body: { email, password } }),
    change: (newPassword, fields = {}) =>
      send({
        method: 'POST',
        path: '/api/v1/profile/change_password',
        token: userToken,
        body: {
          old_password: ADA.password,
          new_password: newPassword,
          new_password_check: newPassword,
          ...fields,
        },
      }),
    signInStatus: async (email, password) => (await api.signIn(token, email, password)).status,
    send,
    stop: async () => {
      await close()
      await api.close()
      await service.stop()
      await rm(folder, { recursive: true })
    },
  }
}
